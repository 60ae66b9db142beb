// Eclipse Paho for Go (MQTT 5.0) against a running broker: see ../README.md.
//
// Each check is a function; the broker's address comes from MQTT_HOST and MQTT_PORT.
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/eclipse/paho.golang/paho"
)

const (
	wait  = 20 * time.Second       // generous, the machine may be busy
	quiet = 500 * time.Millisecond // during which no message may arrive
)

// client is a paho client whose messages and end are channels, so that a check reads from top to bottom.
type client struct {
	*paho.Client
	conn     net.Conn
	connack  *paho.Connack
	messages chan *paho.Publish
	ended    chan byte // reason code of the server's DISCONNECT
}

func address() string {
	host, port := os.Getenv("MQTT_HOST"), os.Getenv("MQTT_PORT")
	if host == "" {
		host = "127.0.0.1"
	}
	if port == "" {
		port = "1883"
	}
	return net.JoinHostPort(host, port)
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func check(holds bool, format string, arguments ...any) {
	if !holds {
		panic(fmt.Errorf(format, arguments...))
	}
}

func soon() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	time.AfterFunc(wait, cancel)
	return ctx
}

func connect(id string, change func(*paho.Connect)) *client {
	conn := must(net.Dial("tcp", address()))
	c := &client{conn: conn, messages: make(chan *paho.Publish, 10_000), ended: make(chan byte, 1)}
	c.Client = paho.NewClient(paho.ClientConfig{
		Conn: conn,
		OnPublishReceived: []func(paho.PublishReceived) (bool, error){
			func(received paho.PublishReceived) (bool, error) {
				c.messages <- received.Packet
				return true, nil
			},
		},
		OnServerDisconnect: func(d *paho.Disconnect) { c.ended <- d.ReasonCode },
		OnClientError:      func(error) {},
	})
	packet := &paho.Connect{ClientID: id, CleanStart: true, KeepAlive: 60}
	if change != nil {
		change(packet)
	}
	c.connack = must(c.Connect(soon(), packet))
	return c
}

func persistent(clean bool) func(*paho.Connect) {
	return func(packet *paho.Connect) {
		expiry := uint32(300)
		packet.CleanStart = clean
		packet.Properties = &paho.ConnectProperties{SessionExpiryInterval: &expiry}
	}
}

func (c *client) subscribe(filter string, options paho.SubscribeOptions, identifier int) {
	options.Topic = filter
	packet := &paho.Subscribe{Subscriptions: []paho.SubscribeOptions{options}}
	if identifier > 0 {
		packet.Properties = &paho.SubscribeProperties{SubscriptionIdentifier: &identifier}
	}
	must(c.Subscribe(soon(), packet))
}

func (c *client) publish(packet *paho.Publish) *paho.PublishResponse {
	return must(c.Publish(soon(), packet))
}

func (c *client) message() *paho.Publish {
	select {
	case message := <-c.messages:
		return message
	case <-time.After(wait):
		panic("no message came")
	}
}

func (c *client) nothing() {
	select {
	case message := <-c.messages:
		panic("unexpected message on " + message.Topic)
	case <-time.After(quiet):
	}
}

func (c *client) end() {
	if err := c.Disconnect(&paho.Disconnect{}); err != nil {
		panic(err)
	}
}

func everyQualityOfService() {
	c := connect("go-qos", nil)
	c.subscribe("go/qos", paho.SubscribeOptions{QoS: 2}, 0)
	for qos := byte(0); qos <= 2; qos++ {
		payload := make([]byte, 200_000)
		must(rand.Read(payload))
		c.publish(&paho.Publish{Topic: "go/qos", QoS: qos, Payload: payload})
		message := c.message()
		check(message.QoS == qos && bytes.Equal(message.Payload, payload), "QoS %d came as %d", qos, message.QoS)
	}
	c.end()
}

func retainedMessageWaits() {
	c := connect("go-retain", nil)
	c.publish(&paho.Publish{Topic: "go/retain", QoS: 1, Retain: true, Payload: []byte("kept")})
	c.subscribe("go/+", paho.SubscribeOptions{QoS: 1}, 0)
	message := c.message()
	check(message.Retain && string(message.Payload) == "kept", "not retained: %v", message)
	c.publish(&paho.Publish{Topic: "go/retain", QoS: 1, Retain: true})
	c.end()
	later := connect("go-retain-later", nil)
	later.subscribe("go/retain", paho.SubscribeOptions{QoS: 1}, 0)
	later.nothing()
	later.end()
}

func persistentSession() {
	away := connect("go-away", persistent(true))
	away.subscribe("go/away", paho.SubscribeOptions{QoS: 2}, 0)
	away.end()
	publisher := connect("go-away-pub", nil)
	for number := range 40 {
		qos := byte(1 + number/20)
		publisher.publish(&paho.Publish{Topic: "go/away", QoS: qos, Payload: []byte(strconv.Itoa(number))})
	}
	publisher.end()
	back := connect("go-away", persistent(false))
	check(back.connack.SessionPresent, "the session is gone")
	for number := range 40 {
		got := string(back.message().Payload)
		check(got == strconv.Itoa(number), "%s came instead of %d", got, number)
	}
	back.nothing()
	back.end()
	connect("go-away", nil).end()
}

func willWhenTheConnectionBreaks() {
	watcher := connect("go-will-watch", nil)
	watcher.subscribe("go/will", paho.SubscribeOptions{QoS: 1}, 0)
	doomed := connect("go-will", func(packet *paho.Connect) {
		packet.WillMessage = &paho.WillMessage{Topic: "go/will", QoS: 1, Payload: []byte("gone")}
		packet.WillProperties = &paho.WillProperties{User: paho.UserProperties{{Key: "why", Value: "lost"}}}
	})
	doomed.conn.Close()
	message := watcher.message()
	check(string(message.Payload) == "gone" && message.Properties.User.Get("why") == "lost", "wrong will: %v", message)
	watcher.end()
}

func takeover() {
	first := connect("go-twice", nil)
	second := connect("go-twice", nil)
	select {
	case code := <-first.ended:
		check(code == 0x8e, "reason code %#x", code)
	case <-time.After(wait):
		panic("the first connection stays")
	}
	second.end()
}

func propertiesTravel() {
	c := connect("go-properties", nil)
	c.subscribe("go/properties", paho.SubscribeOptions{QoS: 1}, 268_435_455)
	sent := &paho.PublishProperties{
		ContentType: "text/plain", ResponseTopic: "go/answer", CorrelationData: []byte{0, 1},
		User: paho.UserProperties{{Key: "a", Value: "1"}, {Key: "a", Value: "2"}},
	}
	c.publish(&paho.Publish{Topic: "go/properties", QoS: 1, Payload: []byte("text"), Properties: sent})
	got := c.message().Properties
	check(got.ContentType == sent.ContentType && got.ResponseTopic == sent.ResponseTopic, "changed: %v", got)
	check(bytes.Equal(got.CorrelationData, sent.CorrelationData), "changed: %v", got.CorrelationData)
	check(slices.Equal(got.User, sent.User), "changed: %v", got.User)
	check(got.SubscriptionIdentifier != nil && *got.SubscriptionIdentifier == 268_435_455, "no identifier")
	c.end()
}

func optionsAreHonored() {
	c := connect("go-options", nil)
	c.subscribe("go/own", paho.SubscribeOptions{QoS: 1, NoLocal: true}, 0)
	c.publish(&paho.Publish{Topic: "go/own", QoS: 1})
	c.nothing()
	c.publish(&paho.Publish{Topic: "go/options", QoS: 1, Retain: true, Payload: []byte("kept")})
	c.subscribe("go/options", paho.SubscribeOptions{QoS: 1, RetainHandling: 2, RetainAsPublished: true}, 0)
	c.nothing()
	c.publish(&paho.Publish{Topic: "go/options", QoS: 1, Retain: true})
	check(c.message().Retain, "the flag is gone")
	c.end()
}

func nobodyListening() {
	c := connect("go-nobody", nil)
	code := c.publish(&paho.Publish{Topic: "go/nobody", QoS: 1}).ReasonCode
	check(code == 0x10, "reason code %#x", code)
	c.end()
}

func assignedIdentifier() {
	c := connect("", nil)
	check(c.connack.Properties.AssignedClientID != "", "no identifier")
	c.end()
}

func main() {
	checks := []struct {
		name string
		run  func()
	}{
		{"every QoS level", everyQualityOfService},
		{"a retained message waits for subscribers until it is cleared", retainedMessageWaits},
		{"a persistent session receives messages queued while it was offline", persistentSession},
		{"a will is published when the connection breaks", willWhenTheConnectionBreaks},
		{"a second connection takes the client identifier over", takeover},
		{"message properties are forwarded", propertiesTravel},
		{"subscription options are honored", optionsAreHonored},
		{"a publisher learns that there are no subscribers", nobodyListening},
		{"the server assigns a client identifier", assignedIdentifier},
	}
	failed := 0
	for _, one := range checks {
		func() {
			defer func() {
				if reason := recover(); reason != nil {
					failed++
					fmt.Printf("FAILED: %s: %v\n", one.name, reason)
					return
				}
				fmt.Printf("ok: %s\n", one.name)
			}()
			one.run()
		}()
	}
	if failed > 0 {
		os.Exit(1)
	}
}
