//! rumqttc (MQTT 3.1.1 and 5.0) against a running broker: see ../README.md.
//!
//! Each check is a function; the broker's address comes from MQTT_HOST and MQTT_PORT.

use std::env;
use std::panic;
use std::process::exit;
use std::sync::mpsc::{channel, Receiver};
use std::thread;
use std::time::Duration;

use rumqttc::v5;
use rumqttc::{Client, ConnAck, Event, LastWill, MqttOptions, Packet, Publish, QoS};

const WAIT: Duration = Duration::from_secs(20); // generous, the machine may be busy
const QUIET: Duration = Duration::from_millis(500); // during which no message may arrive
const EACH_QOS: [QoS; 3] = [QoS::AtMostOnce, QoS::AtLeastOnce, QoS::ExactlyOnce];

fn address() -> (String, u16) {
    let host = env::var("MQTT_HOST").unwrap_or("127.0.0.1".into());
    let port = env::var("MQTT_PORT").unwrap_or("1883".into());
    (host, port.parse().expect("MQTT_PORT is a number"))
}

/// A client of MQTT 3.1.1 whose packets come through a channel, so that a check reads from top to bottom.
struct Old {
    client: Client,
    packets: Receiver<Packet>,
    connack: ConnAck,
}

impl Old {
    fn connect(id: &str, change: impl FnOnce(&mut MqttOptions)) -> Old {
        let (host, port) = address();
        let mut options = MqttOptions::new(id, host, port);
        options.set_max_packet_size(1 << 20, 1 << 20);
        change(&mut options);
        let (client, mut connection) = Client::new(options, 100);
        let (sender, packets) = channel();
        // Stops at the first error: a check that needs to reconnect does so itself.
        thread::spawn(move || {
            for event in connection.iter() {
                let goes_on = match event {
                    Ok(Event::Incoming(packet)) => sender.send(packet).is_ok(),
                    Ok(Event::Outgoing(_)) => true,
                    Err(_) => false,
                };
                if !goes_on {
                    break;
                }
            }
        });
        match packets.recv_timeout(WAIT) {
            Ok(Packet::ConnAck(connack)) => Old { client, packets, connack },
            other => panic!("no CONNACK: {other:?}"),
        }
    }

    fn until<T>(&self, what: &str, wanted: impl Fn(Packet) -> Option<T>) -> T {
        loop {
            let packet = self.packets.recv_timeout(WAIT).unwrap_or_else(|_| panic!("no {what}"));
            if let Some(found) = wanted(packet) {
                return found;
            }
        }
    }

    fn subscribe(&self, filter: &str, qos: QoS) {
        self.client.subscribe(filter, qos).unwrap();
        self.until("SUBACK", |packet| matches!(packet, Packet::SubAck(_)).then_some(()));
    }

    fn message(&self) -> Publish {
        self.until("PUBLISH", |packet| match packet {
            Packet::Publish(publish) => Some(publish),
            _ => None,
        })
    }

    fn nothing(&self) {
        while let Ok(packet) = self.packets.recv_timeout(QUIET) {
            assert!(!matches!(packet, Packet::Publish(_)), "unexpected {packet:?}");
        }
    }

    fn publish(&self, topic: &str, qos: QoS, retain: bool, payload: impl Into<Vec<u8>>) {
        self.client.publish(topic, qos, retain, payload).unwrap();
    }

    /// Publishes and waits for the acknowledgement; for clients that do not subscribe.
    fn publish_acknowledged(&self, topic: &str, retain: bool, payload: &str) {
        self.publish(topic, QoS::AtLeastOnce, retain, payload);
        self.until("PUBACK", |packet| matches!(packet, Packet::PubAck(_)).then_some(()));
    }

    fn end(self) {
        self.client.disconnect().unwrap();
        while self.packets.recv_timeout(WAIT).is_ok() {}
    }
}

fn every_quality_of_service() {
    let client = Old::connect("rs-qos", |_| {});
    client.subscribe("rs/qos", QoS::ExactlyOnce);
    for (number, qos) in EACH_QOS.into_iter().enumerate() {
        let payload = vec![number as u8; 200_000];
        client.publish("rs/qos", qos, false, payload.clone());
        let message = client.message();
        assert_eq!(message.qos, qos);
        assert!(message.payload == payload, "the payload changed");
    }
    client.end();
}

fn a_retained_message_waits_for_subscribers_until_it_is_cleared() {
    let client = Old::connect("rs-retain", |_| {});
    client.publish_acknowledged("rs/retain", true, "kept");
    client.subscribe("rs/retain/#", QoS::AtLeastOnce);
    let message = client.message();
    assert!(message.retain && message.payload == "kept");
    client.end();
    let cleaner = Old::connect("rs-retain-clear", |_| {});
    cleaner.publish_acknowledged("rs/retain", true, "");
    cleaner.subscribe("rs/retain", QoS::AtLeastOnce);
    cleaner.nothing();
    cleaner.end();
}

fn a_persistent_session_gets_what_came_while_it_was_away() {
    let persistent = |options: &mut MqttOptions| {
        options.set_clean_session(false);
    };
    let away = Old::connect("rs-away", persistent);
    away.subscribe("rs/away", QoS::AtLeastOnce);
    away.end();
    let publisher = Old::connect("rs-away-pub", |_| {});
    for number in 0..20 {
        publisher.publish_acknowledged("rs/away", false, &number.to_string());
    }
    publisher.end();
    let back = Old::connect("rs-away", persistent);
    assert!(back.connack.session_present, "the session is gone");
    for number in 0..20 {
        assert_eq!(back.message().payload, number.to_string());
    }
    back.nothing();
    back.end();
    Old::connect("rs-away", |_| {}).end();
}

fn a_second_connection_takes_the_client_identifier_over_and_its_will_is_published() {
    let watcher = Old::connect("rs-will-watch", |_| {});
    watcher.subscribe("rs/will", QoS::AtLeastOnce);
    let first = Old::connect("rs-twice", |options| {
        options.set_last_will(LastWill::new("rs/will", "gone", QoS::AtLeastOnce, false));
    });
    let second = Old::connect("rs-twice", |_| {});
    while first.packets.recv_timeout(WAIT).is_ok() {} // ends with the connection
    assert_eq!(watcher.message().payload, "gone");
    second.end();
    watcher.end();
}

fn properties_travel_with_a_message_of_version_5() {
    let (host, port) = address();
    let (client, mut connection) = v5::Client::new(v5::MqttOptions::new("rs-five", host, port), 100);
    let properties = v5::mqttbytes::v5::PublishProperties {
        content_type: Some("text/plain".into()),
        response_topic: Some("rs/answer".into()),
        correlation_data: Some(vec![0, 1].into()),
        user_properties: vec![("a".into(), "1".into()), ("a".into(), "2".into())],
        ..Default::default()
    };
    client.subscribe("rs/five", v5::mqttbytes::QoS::ExactlyOnce).unwrap();
    client
        .publish_with_properties("rs/five", v5::mqttbytes::QoS::ExactlyOnce, false, "text", properties.clone())
        .unwrap();
    loop {
        let event = connection.recv_timeout(WAIT).expect("a packet").expect("a connection");
        if let v5::Event::Incoming(v5::mqttbytes::v5::Packet::Publish(message)) = event {
            let got = message.properties.expect("properties");
            assert_eq!(message.payload, "text");
            assert_eq!(got.content_type, properties.content_type);
            assert_eq!(got.response_topic, properties.response_topic);
            assert_eq!(got.correlation_data, properties.correlation_data);
            assert_eq!(got.user_properties, properties.user_properties);
            break;
        }
    }
    client.disconnect().unwrap();
    while let Ok(Ok(_)) = connection.recv_timeout(WAIT) {}
}

fn main() {
    let checks: [(&str, fn()); 5] = [
        ("every quality of service", every_quality_of_service),
        (
            "a retained message waits for subscribers until it is cleared",
            a_retained_message_waits_for_subscribers_until_it_is_cleared,
        ),
        (
            "a persistent session gets what came while it was away",
            a_persistent_session_gets_what_came_while_it_was_away,
        ),
        (
            "a second connection takes the client identifier over and its will is published",
            a_second_connection_takes_the_client_identifier_over_and_its_will_is_published,
        ),
        ("properties travel with a message of version 5", properties_travel_with_a_message_of_version_5),
    ];
    let mut failed = 0;
    for (name, check) in checks {
        // The panic itself is printed by the default hook.
        match panic::catch_unwind(check) {
            Ok(()) => println!("ok: {name}"),
            Err(_) => {
                failed += 1;
                println!("FAILED: {name}");
            }
        }
    }
    exit(if failed > 0 { 1 } else { 0 });
}
