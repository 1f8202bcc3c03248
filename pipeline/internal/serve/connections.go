package serve

import (
	"container/list"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
)

// connections limits the open connections of a server. At the limit it closes those that have been idle for longest, so
// that idle clients do not shut out new ones.
type connections struct {
	mu     sync.Mutex
	most   int
	open   int
	idle   *list.List // of net.Conn, the one that has been idle for longest first
	places map[net.Conn]*list.Element
	closed map[net.Conn]bool // at the limit, and no longer counted as open
}

func newConnections(most int) *connections {
	return &connections{most: most, idle: list.New(), places: map[net.Conn]*list.Element{}, closed: map[net.Conn]bool{}}
}

// changed is the hook of [http.Server] for the states of connections.
func (c *connections) changed(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forget(conn)
	switch {
	case c.closed[conn]:
		if state == http.StateClosed {
			delete(c.closed, conn)
		}
	case state == http.StateNew:
		c.open++
	case state == http.StateIdle:
		c.places[conn] = c.idle.PushBack(conn)
	case state == http.StateClosed:
		c.open--
	}
	for c.open >= c.most && c.idle.Len() > 0 {
		longest, _ := c.idle.Front().Value.(net.Conn)
		c.forget(longest)
		c.open--
		c.closed[longest] = true
		if t, ok := longest.(*tls.Conn); ok {
			longest = t.NetConn() // a client that does not read would delay the farewell of TLS
		}
		_ = longest.Close() // its reader sees the error
	}
}

// forget takes a connection off the idle ones.
func (c *connections) forget(conn net.Conn) {
	if e := c.places[conn]; e != nil {
		c.idle.Remove(e)
		delete(c.places, conn)
	}
}
