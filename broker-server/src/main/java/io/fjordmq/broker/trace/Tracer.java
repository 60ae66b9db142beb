package io.fjordmq.broker.trace;

import io.fjordmq.api.Message;
import io.fjordmq.api.Topic;
import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.broker.events.ClientEvent;
import io.fjordmq.broker.events.ClientHistory;
import io.fjordmq.broker.events.Dropped;
import io.fjordmq.broker.events.PublishDenied;
import io.fjordmq.broker.events.SubscribeRefused;
import io.fjordmq.broker.events.Subscribed;
import io.fjordmq.broker.events.Unsubscribed;
import io.fjordmq.broker.events.WillPublished;
import io.fjordmq.broker.protocol.Peer;
import io.netty.channel.Channel;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import java.net.InetAddress;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Writes what happens to clients and messages to the traces that match. Thread-safe; methods
 * neither block nor throw, and cost one read of a field while there are no traces.
 */
public final class Tracer {
  private final TraceFiles files;
  private final String node;
  private final InstantSource clock;
  private final int maxPayloadBytes;
  private volatile @Nullable ActiveTraces active;

  /** The same traces if any of them traces topics; otherwise null. */
  private volatile @Nullable ActiveTraces topics;

  /**
   * @param clock cluster time, so that lines of several nodes can be sorted
   */
  Tracer(TraceFiles files, String node, InstantSource clock, int maxPayloadBytes) {
    this.files = files;
    this.node = node;
    this.clock = clock;
    this.maxPayloadBytes = maxPayloadBytes;
  }

  /** Returns a tracer that has no traces. */
  public static Tracer off() {
    return new Tracer(TraceFiles.none(), "", InstantSource.system(), 0);
  }

  /**
   * Replaces the traces in progress.
   *
   * @param next null for none
   */
  void replace(@Nullable ActiveTraces next) {
    active = next;
    topics = next != null && next.hasTopics() ? next : null;
  }

  /** Whether anything is being traced. */
  public boolean isOn() {
    return active != null;
  }

  /** Whether messages are being traced by topic. */
  public boolean isTracingTopics() {
    return topics != null;
  }

  /** Whether messages of this topic are being traced. */
  public boolean isTracing(@Nullable String tenant, Topic topic) {
    ActiveTraces current = topics;
    return current != null && !current.ofTopic(tenant, topic).isEmpty();
  }

  /** Called when a client has sent a valid CONNECT, on its event loop. */
  public void onConnect(Channel channel, MqttConnectMessage connect, String clientId) {
    ActiveTraces current = active;
    if (current == null) {
      return;
    }
    InetAddress address = Peer.of(channel).address();
    List<ActiveTrace> matching = current.ofClient(clientId, address);
    if (!matching.isEmpty()) {
      ConnectionTrace.begin(
          this, channel, connect, clientId, current.ofClient(null, clientId, address));
    }
  }

  /**
   * Called when a client has proved its identity, on its event loop.
   *
   * @param decidedBy the name of the provider that decided
   */
  public void onAuthenticated(Channel channel, ClientInfo client, String decidedBy) {
    ActiveTraces current = active;
    if (current == null) {
      return;
    }
    Peer peer = Peer.of(channel);
    List<ActiveTrace> matching =
        current.ofClient(client.tenant(), client.clientId(), peer.address());
    if (!matching.isEmpty()) {
      StringBuilder text = new StringBuilder();
      TraceText out = new TraceText(text).word("authenticated").field("by", decidedBy);
      if (client.userName() != null) {
        out.field("user_name", client.userName(), ConnectText.MAX_USER_NAME_CHARS);
      }
      String label = label(client.tenant(), client.clientId(), peer);
      matching.forEach(trace -> write(trace, "event", label, text.toString()));
    }
  }

  /**
   * Starts or ends the tracing of an authenticated client, as the current traces require. Called on
   * its event loop.
   *
   * @param protocolLevel the MQTT version of the connection
   * @return the connection's trace; null if it is not traced
   */
  public @Nullable ConnectionTrace update(
      Channel channel, String tenant, String clientId, int protocolLevel) {
    ActiveTraces current = active;
    List<ActiveTrace> matching =
        current == null
            ? List.of()
            : current.ofClient(tenant, clientId, Peer.of(channel).address());
    ConnectionTrace attached = ConnectionTrace.find(channel);
    if (attached == null && !matching.isEmpty()) {
      attached = ConnectionTrace.attach(this, channel, clientId, protocolLevel);
    }
    return attached != null && attached.update(tenant, matching) ? attached : null;
  }

  /** Whether a connected client must be traced. Can be called on any thread. */
  public boolean matches(Channel channel, String tenant, String clientId) {
    ActiveTraces current = active;
    return current != null
        && !current.ofClient(tenant, clientId, Peer.of(channel).address()).isEmpty();
  }

  /**
   * Writes an event of a client.
   *
   * @param tenant null if the client was not authenticated
   * @param clientId null if it is not known
   * @param peer null if the client is not connected to this node
   */
  public void onEvent(
      @Nullable String tenant, @Nullable String clientId, @Nullable Peer peer, ClientEvent event) {
    ActiveTraces current = active;
    if (current == null) {
      return;
    }
    Set<ActiveTrace> matching =
        new LinkedHashSet<>(
            current.ofClient(tenant, clientId, peer == null ? null : peer.address()));
    String filter = filterOf(event);
    if (filter != null) {
      matching.addAll(current.ofFilter(tenant, filter));
    }
    if (!matching.isEmpty()) {
      StringBuilder text = new StringBuilder();
      new TraceText(text).word(event.type()).quoted(event.message(event.count()));
      String label = label(tenant, clientId, peer);
      matching.forEach(trace -> write(trace, "event", label, text.toString()));
    }
  }

  /** The topic or topic filter that an event is about; null if there is none. */
  private static @Nullable String filterOf(ClientEvent event) {
    if (event instanceof Subscribed subscribed) {
      return subscribed.filter();
    } else if (event instanceof SubscribeRefused refused) {
      return refused.filter();
    } else if (event instanceof Unsubscribed unsubscribed) {
      return unsubscribed.filter();
    } else if (event instanceof PublishDenied denied) {
      return denied.topic();
    } else if (event instanceof Dropped dropped) {
      return dropped.topic();
    }
    return event instanceof WillPublished will ? will.topic() : null;
  }

  /** Returns a history that also writes its events to traces. */
  public ClientHistory tracing(ClientHistory history) {
    return new ClientHistory() {
      @Override
      public void record(String tenant, String clientId, ClientEvent event) {
        history.record(tenant, clientId, event);
        onEvent(tenant, clientId, null, event);
      }

      @Override
      public void recordUnconnected(@Nullable String tenant, String clientId, ClientEvent event) {
        history.recordUnconnected(tenant, clientId, event);
        onEvent(tenant, clientId, null, event);
      }

      @Override
      public void recordIfKnown(String tenant, String clientId, ClientEvent event) {
        history.recordIfKnown(tenant, clientId, event);
        onEvent(tenant, clientId, null, event);
      }
    };
  }

  /** Called when a client sends or receives a message whose topic may be traced. */
  public void onMessage(
      MessageStep step,
      String tenant,
      @Nullable String clientId,
      @Nullable Peer peer,
      Message message) {
    ActiveTraces current = topics;
    if (current == null) {
      return;
    }
    List<ActiveTrace> matching = current.ofTopic(tenant, message.topic());
    if (!matching.isEmpty()) {
      String label = label(tenant, clientId, peer);
      write(
          matching, step.kind(), label, encoding -> step.text(message, encoding, maxPayloadBytes));
    }
  }

  /**
   * A message has been offered to the inbox of a client, which may be offline.
   *
   * @param result a constant
   */
  public void onInboxResult(String tenant, String clientId, Topic topic, Enum<?> result) {
    ActiveTraces current = active;
    if (current == null) {
      return;
    }
    List<ActiveTrace> ofClient = current.ofClient(tenant, clientId, null);
    List<ActiveTrace> ofTopic = current.ofTopic(tenant, topic);
    if (ofClient.isEmpty() && ofTopic.isEmpty()) {
      return; // without an allocation, because this runs for each stored copy
    }
    Set<ActiveTrace> matching = new LinkedHashSet<>(ofClient);
    matching.addAll(ofTopic);
    StringBuilder text = new StringBuilder();
    new TraceText(text)
        .word("inbox")
        .field("result", result.name().toLowerCase(Locale.ROOT))
        .field("topic", topic.name());
    String label = label(tenant, clientId, null);
    matching.forEach(trace -> write(trace, "event", label, text.toString()));
  }

  /** Writes lines whose text depends on the encoding of payloads. */
  void write(
      List<ActiveTrace> traces,
      String kind,
      String label,
      Function<PayloadEncoding, String> textOf) {
    @Nullable String[] texts = new String[PayloadEncoding.values().length];
    for (ActiveTrace trace : traces) {
      if (!trace.accepts()) {
        continue;
      }
      PayloadEncoding encoding = trace.trace().payload();
      String text = texts[encoding.ordinal()];
      if (text == null) {
        text = textOf.apply(encoding);
        texts[encoding.ordinal()] = text;
      }
      write(trace, kind, label, text);
    }
  }

  /**
   * @param label and text begin with a space or are empty
   */
  void write(ActiveTrace trace, String kind, String label, String text) {
    if (trace.accepts()) {
      files.add(
          trace.file(),
          TraceLine.begin(clock.millis(), node, kind)
              .append(label)
              .append(text)
              .append('\n')
              .toString());
    }
  }

  int maxPayloadBytes() {
    return maxPayloadBytes;
  }

  /** The fields that identify a client. */
  static String label(@Nullable String tenant, @Nullable String clientId, @Nullable Peer peer) {
    StringBuilder label = new StringBuilder();
    TraceText out = new TraceText(label);
    if (clientId != null) {
      out.field("client", clientId);
    }
    if (peer != null) {
      out.field("peer", peer.displayName());
    }
    if (!Objects.requireNonNullElse(tenant, "").isEmpty()) {
      out.field("tenant", String.valueOf(tenant));
    }
    return label.toString();
  }
}
