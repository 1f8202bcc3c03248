package pagetest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/websocket"
)

// Driver drives a browser by the Chrome DevTools Protocol.
type Driver struct {
	t       *testing.T
	socket  *websocket.Conn
	session string
	next    int
	said    []string // errors in the console, exceptions and breaches of the policy
	asked   []string // addresses that were requested
}

// message is a command, an answer or an event.
type message struct {
	ID      int             `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// Drive starts a browser without a window. The test is skipped where there is none.
func Drive(t *testing.T) *Driver {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes a while to start: left out with -short")
	}
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			browser = found
			break
		}
	}
	if browser == "" {
		t.Skip("neither chromium nor google-chrome is on the path")
	}
	profile, err := os.MkdirTemp("", "pagetest")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-port=0",
		"--remote-allow-origins=*", "--user-data-dir="+profile, "about:blank")
	cmd.Env = append(os.Environ(), "TMPDIR="+profile)
	// It ends by itself, with its helper processes, so that none of them writes to the profile while it is removed.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		t.Skipf("%s does not start: %v", browser, err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait() // it was interrupted
		_ = os.RemoveAll(profile)
	})
	address := ""
	for range 600 { // a file says where it listens: a port, then a path
		data, err := os.ReadFile(filepath.Join(profile, "DevToolsActivePort"))
		if port, path, ok := strings.Cut(string(data), "\n"); err == nil && ok {
			address = "ws://127.0.0.1:" + port + path
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if address == "" {
		t.Skipf("%s does not run here", browser)
	}
	socket, err := websocket.Dial(address, "", "http://localhost")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = socket.Close() })
	d := &Driver{t: t, socket: socket}
	var target struct{ TargetID, SessionID string }
	d.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	d.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &target)
	d.session = target.SessionID
	for _, domain := range []string{"Page", "Runtime", "Network", "Log"} {
		d.call(domain+".enable", nil, nil)
	}
	return d
}

// note records an event for tests.
func (d *Driver) note(m message) {
	switch text := string(m.Params); m.Method {
	case "Runtime.exceptionThrown":
		d.said = append(d.said, text)
	case "Log.entryAdded":
		if strings.Contains(text, `"level":"error"`) {
			d.said = append(d.said, text)
		}
	case "Network.requestWillBeSent":
		var event struct{ Request struct{ URL string } }
		if json.Unmarshal(m.Params, &event) == nil {
			d.asked = append(d.asked, event.Request.URL)
		}
	}
}

// call sends a command and waits for its answer.
func (d *Driver) call(method string, params, to any) {
	d.t.Helper()
	d.next++
	id := d.next
	command := map[string]any{"id": id, "method": method}
	if params != nil {
		command["params"] = params
	}
	if d.session != "" {
		command["sessionId"] = d.session
	}
	if err := websocket.JSON.Send(d.socket, command); err != nil {
		d.t.Fatal(err)
	}
	if err := d.socket.SetReadDeadline(time.Now().Add(2 * time.Minute)); err != nil {
		d.t.Fatal(err)
	}
	var m message
	for m.ID != id {
		m = message{}
		if err := websocket.JSON.Receive(d.socket, &m); err != nil {
			d.t.Fatalf("%s: no answer: %v", method, err)
		}
		d.note(m)
	}
	if m.Error != nil {
		d.t.Fatalf("%s: %s", method, m.Error.Message)
	}
	if to != nil {
		if err := json.Unmarshal(m.Result, to); err != nil {
			d.t.Fatalf("%s: %v", method, err)
		}
	}
}

// Eval evaluates an expression, or a promise, of JavaScript and decodes its value.
func (d *Driver) Eval(expression string, to any) {
	d.t.Helper()
	var out struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	d.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true},
		&out)
	if e := out.ExceptionDetails; e != nil {
		d.t.Fatalf("%.200s: %s %s", expression, e.Text, e.Exception.Description)
	}
	if to != nil {
		if err := json.Unmarshal(out.Result.Value, to); err != nil {
			d.t.Fatalf("%.200s: %v: %s", expression, err, out.Result.Value)
		}
	}
}

// Offline cuts the network, except for pages on disk.
func (d *Driver) Offline() {
	d.t.Helper()
	d.call("Network.emulateNetworkConditions",
		map[string]any{"offline": true, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}, nil)
}

// Scripts turns scripts of pages on or off.
func (d *Driver) Scripts(on bool) {
	d.t.Helper()
	d.call("Emulation.setScriptExecutionDisabled", map[string]any{"value": !on}, nil)
}

// Look sets the width of the window, the colour scheme, light or dark, and the medium, screen or print.
func (d *Driver) Look(width int, scheme, medium string) {
	d.t.Helper()
	d.call("Emulation.setDeviceMetricsOverride",
		map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false}, nil)
	d.call("Emulation.setEmulatedMedia", map[string]any{"media": medium,
		"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// Open opens a page and waits until it is complete. It fails if the page reports an error.
func (d *Driver) Open(url string) {
	d.t.Helper()
	d.call("Page.navigate", map[string]any{"url": url}, nil)
	if url == "about:blank" {
		return
	}
	for range 600 {
		var state string
		d.Eval("location.href !== 'about:blank' ? document.readyState : ''", &state)
		if state == "complete" {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	d.t.Fatalf("%s does not become complete", url)
}

// Key presses a key, such as Tab, Enter or ArrowRight.
func (d *Driver) Key(key string) {
	d.t.Helper()
	codes := map[string]int{"Tab": 9, "Enter": 13, "ArrowLeft": 37, "ArrowRight": 39, " ": 32}
	p := map[string]any{"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": codes[key]}
	if key == "Enter" {
		p["text"] = "\r"
	}
	d.call("Input.dispatchKeyEvent", p, nil)
	p["type"] = "keyUp"
	d.call("Input.dispatchKeyEvent", p, nil)
}

// Await waits until an expression is true.
func (d *Driver) Await(expression string) {
	d.t.Helper()
	for range 1200 {
		var is bool
		if d.Eval("!!("+expression+")", &is); is {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	d.t.Fatalf("%s does not become true", expression)
}

// Drag drags the mouse from one place to another.
func (d *Driver) Drag(x1, y1, x2, y2 float64) {
	d.t.Helper()
	for _, m := range []map[string]any{
		{"type": "mousePressed", "x": x1, "y": y1, "button": "left", "buttons": 1, "clickCount": 1},
		{"type": "mouseMoved", "x": (x1 + x2) / 2, "y": y2, "button": "left", "buttons": 1},
		{"type": "mouseMoved", "x": x2, "y": y2, "button": "left", "buttons": 1}, {"type": "mouseReleased", "x": x2,
			"y": y2, "button": "left", "clickCount": 1},
	} {
		d.call("Input.dispatchMouseEvent", m, nil)
	}
}

// Shoot writes a picture of the whole page.
func (d *Driver) Shoot(file string) {
	d.t.Helper()
	var shot struct{ Data []byte }
	d.call("Page.captureScreenshot", map[string]any{"captureBeyondViewport": true}, &shot)
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(file, shot.Data, 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// Quiet fails the test if a page complained, and returns the addresses that were requested besides those that begin
// with own.
func (d *Driver) Quiet(own ...string) (others []string) {
	d.t.Helper()
	d.Eval("1", nil) // events come before its answer
	for _, text := range d.said {
		if !strings.Contains(text, "favicon.ico") {
			d.t.Errorf("the page complains: %.500s", text)
		}
	}
	d.said = nil
outer:
	for _, url := range d.asked {
		for _, prefix := range append(own, "about:", "data:", "blob:") {
			if strings.HasPrefix(url, prefix) {
				continue outer
			}
		}
		others = append(others, fmt.Sprintf("%.200s", url))
	}
	return others
}
