package serve

import (
	"container/list"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
)

// crowd closes the connections that have been idle for longest while as many are open as may be, so that clients that
// only hold connections keep nobody out.
type crowd struct {
	mu     sync.Mutex
	most   int
	open   int
	idle   *list.List // of net.Conn, the one that has been idle for longest first
	places map[net.Conn]*list.Element
	closed map[net.Conn]bool // by crowd, and no longer counted as open
}

func newCrowd(most int) *crowd {
	return &crowd{most: most, idle: list.New(), places: map[net.Conn]*list.Element{}, closed: map[net.Conn]bool{}}
}

// changed is the hook of [http.Server] for the states of connections.
func (c *crowd) changed(conn net.Conn, state http.ConnState) {
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
func (c *crowd) forget(conn net.Conn) {
	if e := c.places[conn]; e != nil {
		c.idle.Remove(e)
		delete(c.places, conn)
	}
}
