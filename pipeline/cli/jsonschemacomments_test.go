package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"reflect"
	"regexp"
	"strings"
)

// sourceComments are the comments of types and fields: "package/path.Type" or "package/path.Type.Field" -> text.
type sourceComments map[string]string

func typeKey(t reflect.Type) string { return t.PkgPath() + "." + t.Name() }

// readComments reads the comments of all types of a module from its source. Tests and testdata are passed over.
func readComments(root fs.FS, module string) (sourceComments, error) {
	out := sourceComments{}
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && name != "." || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		out.file(path.Join(module, path.Dir(name)), file)
		return nil
	})
	return out, err
}

func (c sourceComments) file(pkg string, file *ast.File) {
	for _, decl := range file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE {
			continue
		}
		for _, spec := range gen.Specs {
			of := spec.(*ast.TypeSpec)
			doc := of.Doc
			if doc == nil && len(gen.Specs) == 1 {
				doc = gen.Doc
			}
			c.add(pkg+"."+of.Name.Name, doc)
			if s, ok := of.Type.(*ast.StructType); ok {
				c.fields(pkg+"."+of.Name.Name, s)
			}
		}
	}
}

// fields adds the comments of fields: the comment above a field, or else the one behind it.
func (c sourceComments) fields(of string, s *ast.StructType) {
	for _, f := range s.Fields.List {
		for _, name := range f.Names {
			if c.add(of+"."+name.Name, f.Doc); f.Doc == nil {
				c.add(of+"."+name.Name, f.Comment)
			}
		}
	}
}

func (c sourceComments) add(key string, group *ast.CommentGroup) {
	text := strings.Join(strings.Fields(group.Text()), " ")
	if text != "" {
		c[key] = docLink.ReplaceAllString(text, "$1")
	}
}

// docLink is a link to a name, such as [Table.At]. The brackets of an interval, such as [0, 1], are no link.
var docLink = regexp.MustCompile(`\[(\*?[A-Za-z_][\w./]*)\]`)
