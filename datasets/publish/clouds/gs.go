//go:build !nogs

package clouds

import _ "gocloud.dev/blob/gcsblob" // gs://
