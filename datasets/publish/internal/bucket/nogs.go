//go:build nogs

package bucket

const hasGS = false
