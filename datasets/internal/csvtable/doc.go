// Package csvtable reads rows of comma-separated tables whose columns a header names, or which are known by heart: the
// tables of cluster traces, as published and as people re-save them.
//
// A [Table] says which columns a kind of row has and under which names; a [Layout] says where they are in the rows of
// one file; a [Row] gives one row's fields as numbers, counts and instants. [Each] takes a file apart where every row
// stands for itself; rows that belong together go through package groupby.
//
// # What is taken
//
// Names in headers are compared in lower case, without blanks at either end, with an underscore for blanks, dots and
// hyphens inside. Blanks around a field and one pair of quotes are no part of it; a comma always ends a field, as no
// table of these traces has one inside. Empty, NaN, None, null, NA and \N are null. Columns of a header that the table
// does not have are not looked at; columns that the header does not have are null.
package csvtable
