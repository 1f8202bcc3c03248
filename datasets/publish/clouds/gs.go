//go:build !nogs

package clouds

// gs://; go build -tags nogs leaves it out, which halves the size that buckets add to the binary
import _ "gocloud.dev/blob/gcsblob"
