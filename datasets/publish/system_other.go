//go:build !linux

package publish

import (
	"errors"
	"os"
)

// exchangeAtOnce is not there on this system.
func exchangeAtOnce(string, string) error { return errors.ErrUnsupported }

// nameless is not there on this system.
func nameless(string) (*os.File, error) { return nil, errors.ErrUnsupported }
