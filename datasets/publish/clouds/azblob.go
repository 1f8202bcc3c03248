//go:build !noazblob

package clouds

import _ "gocloud.dev/blob/azureblob" // azblob://
