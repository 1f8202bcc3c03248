package parquetio

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// errPlainSize is the error for a page with more or fewer bytes than its header claims.
var errPlainSize = errors.New("its size after decompression is not the size in its header")

// unpackers hold zstd decoders that write no more than the capacity they are given. A page is decompressed in
// one call, so that a decoder needs no goroutines.
var unpackers = sync.Pool{New: func() any {
	return must(zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true)))
}}

// checkCodec refuses compression that cannot be read.
func checkCodec(codec format.CompressionCodec) error {
	switch codec {
	case format.Uncompressed, format.Snappy, format.Gzip, format.Brotli, format.Zstd, format.Lz4Raw:
		return nil
	default:
		return fmt.Errorf("compression %v is not supported: write the file with Snappy or zstd", codec)
	}
}

// unpack decompresses a page of exactly n bytes into room, which it may return. It makes room for little more than n
// bytes.
func unpack(codec format.CompressionCodec, room, packed []byte, n int) ([]byte, error) {
	if codec == format.Uncompressed {
		if len(packed) != n {
			return nil, errPlainSize
		}
		return packed, nil
	}
	const slack = 64 // decoders are faster where a few bytes behind the last are theirs
	if cap(room) < n+slack {
		room = make([]byte, n+slack+n/8)
	}
	room = room[:n]
	done := 0
	var err error
	switch codec {
	case format.Snappy:
		if done, err = snappy.DecodedLen(packed); err == nil && done == n {
			_, err = snappy.Decode(room, packed)
		}
	case format.Zstd:
		u := unpackers.Get().(*zstd.Decoder)
		var all []byte
		all, err = u.DecodeAll(packed, room[:0:n+slack])
		unpackers.Put(u)
		done = len(all)
	case format.Lz4Raw:
		done, err = lz4.UncompressBlock(packed, room)
	case format.Gzip:
		var r *gzip.Reader
		if r, err = gzip.NewReader(bytes.NewReader(packed)); err == nil {
			done, err = fillFrom(r, room)
		}
	case format.Brotli:
		done, err = fillFrom(brotli.NewReader(bytes.NewReader(packed)), room)
	default:
		err = checkCodec(codec)
	}
	if err == nil && done != n {
		err = errPlainSize
	}
	return room, err
}

// fillFrom reads as many bytes as p has, after which r must end.
func fillFrom(r io.Reader, p []byte) (int, error) {
	n, err := io.ReadFull(r, p)
	if err != nil {
		return n, err
	}
	var more [1]byte
	if k, err := io.ReadFull(r, more[:]); k > 0 {
		return n + k, nil
	} else if !errors.Is(err, io.EOF) {
		return n, err
	}
	return n, nil
}
