//go:build !nogs

package bucket

// gs://; go build -tags nogs leaves it out, and with it half of what buckets add to the binary
import _ "gocloud.dev/blob/gcsblob"

const hasGS = true
