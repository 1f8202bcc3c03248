//go:build !nos3

package clouds

import _ "gocloud.dev/blob/s3blob" // s3://
