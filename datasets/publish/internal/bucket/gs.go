//go:build !nogs

package bucket

import _ "gocloud.dev/blob/gcsblob" // gs://; go build -tags nogs leaves it out, and with it half of what buckets add to the binary

const hasGS = true
