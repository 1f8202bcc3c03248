//go:build !linux

package publish

import "errors"

// exchangeAtOnce is not there on this system.
func exchangeAtOnce(string, string) error { return errors.ErrUnsupported }
