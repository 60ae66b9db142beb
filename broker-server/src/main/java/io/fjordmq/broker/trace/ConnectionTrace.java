package io.fjordmq.broker.trace;

import io.fjordmq.api.Message;
import io.fjordmq.broker.protocol.FilterPacket;
import io.fjordmq.broker.protocol.Peer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The packets and decisions of one connection that is traced. It adds a handler to the pipeline of
 * the connection, between the framing and the decoding of packets, so that connections that are not
 * traced cost nothing. Only used on the event loop.
 */
public final class ConnectionTrace {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionTrace.class);
  private static final String HANDLER = "trace";
  private static final String FRAMES = "frames";

  private final Tracer tracer;
  private final Channel channel;
  private final String clientId;
  private final int protocolLevel;
  private List<ActiveTrace> traces;
  private String label;

  // Until the tenant is known, because some traces show only one tenant.
  private @Nullable MqttConnectMessage connect;

  private ConnectionTrace(
      Tracer tracer,
      Channel channel,
      String clientId,
      int protocolLevel,
      @Nullable MqttConnectMessage connect,
      List<ActiveTrace> traces) {
    this.tracer = tracer;
    this.channel = channel;
    this.clientId = clientId;
    this.protocolLevel = protocolLevel;
    this.connect = connect;
    this.traces = traces;
    this.label = Tracer.label(null, clientId, Peer.of(channel));
  }

  /** Begins to trace a connection with its CONNECT. */
  static void begin(
      Tracer tracer,
      Channel channel,
      MqttConnectMessage connect,
      String clientId,
      List<ActiveTrace> traces) {
    int level = connect.variableHeader().version();
    ConnectionTrace begun = new ConnectionTrace(tracer, channel, clientId, level, connect, traces);
    begun.writeConnect(connect, traces);
    begun.addHandler();
  }

  /** Begins to trace a connection that has sent its CONNECT before. */
  static ConnectionTrace attach(
      Tracer tracer, Channel channel, String clientId, int protocolLevel) {
    ConnectionTrace attached =
        new ConnectionTrace(tracer, channel, clientId, protocolLevel, null, List.of());
    attached.addHandler();
    return attached;
  }

  /** Returns the trace of a connection; null if it is not traced. */
  static @Nullable ConnectionTrace find(Channel channel) {
    return channel.pipeline().get(HANDLER) instanceof Tap tap ? tap.trace() : null;
  }

  private void addHandler() {
    ChannelPipeline pipeline = channel.pipeline();
    if (pipeline.get(FRAMES) != null) {
      pipeline.addAfter(FRAMES, HANDLER, new Tap());
    }
  }

  /**
   * Replaces the traces of the connection; returns whether there are any.
   *
   * @param tenant the tenant of the client, which is authenticated
   */
  boolean update(String tenant, List<ActiveTrace> next) {
    label = Tracer.label(tenant, clientId, Peer.of(channel));
    List<ActiveTrace> added = next.stream().filter(trace -> !traces.contains(trace)).toList();
    if (connect != null) {
      writeConnect(connect, added);
      connect = null;
    } else {
      added.forEach(
          trace -> tracer.write(trace, "event", label, " tracing begins; already connected"));
    }
    traces = next;
    if (next.isEmpty() && channel.pipeline().get(HANDLER) != null) {
      channel.pipeline().remove(HANDLER);
    }
    return !next.isEmpty();
  }

  private void writeConnect(MqttConnectMessage packet, List<ActiveTrace> to) {
    tracer.write(
        to,
        "received",
        label,
        encoding -> ConnectText.of(packet, encoding, tracer.maxPayloadBytes()));
  }

  /** The receivers of a message that the client has published are known. */
  public void onRouted(Message message, Receivers receivers) {
    writeStep(new MessageStep.Routed(receivers), message);
  }

  /** A message waits until it can be sent to the client. */
  public void onQueued(Message message) {
    writeStep(new MessageStep.Queued(), message);
  }

  private void writeStep(MessageStep step, Message message) {
    writeLines(step.kind(), encoding -> step.text(message, encoding, tracer.maxPayloadBytes()));
  }

  private void writeLines(String kind, Function<PayloadEncoding, String> textOf) {
    tracer.write(traces, kind, label, textOf);
  }

  private void writePacket(String kind, ByteBuf bytes, int start) {
    writeLines(
        kind,
        encoding -> PacketText.of(bytes, start, protocolLevel, encoding, tracer.maxPayloadBytes()));
  }

  /** Sees whole packets from the client, and the bytes of packets to the client. */
  private final class Tap extends ChannelDuplexHandler {
    // The beginning of a PUBLISH whose payload is passed to the channel separately.
    private @Nullable ByteBuf head;
    private int missingBytes;

    private ConnectionTrace trace() {
      return ConnectionTrace.this;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object packet) {
      try {
        if (packet instanceof ByteBuf bytes) {
          writePacket("received", bytes, bytes.readerIndex());
        } else if (packet instanceof FilterPacket filters) {
          writeLines("received", encoding -> FilterPacketText.of(filters));
        }
      } catch (RuntimeException e) { // must not end the connection
        LOG.error("Cannot trace a packet; please report this bug", e);
      }
      ctx.fireChannelRead(packet);
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object packets, ChannelPromise promise) {
      try {
        if (packets instanceof ByteBuf bytes) {
          writeSent(bytes);
        }
      } catch (RuntimeException e) { // must not end the connection
        LOG.error("Cannot trace a packet; please report this bug", e);
      }
      ctx.write(packets, promise);
    }

    private void writeSent(ByteBuf bytes) {
      int index = bytes.readerIndex();
      if (head != null) {
        int shown = Math.min(bytes.readableBytes(), tracer.maxPayloadBytes());
        writePacket("sent", Unpooled.wrappedBuffer(head, bytes.slice(index, shown)), 0);
        head = null;
      }
      int skipped = Math.min(missingBytes, bytes.readableBytes());
      missingBytes -= skipped;
      index += skipped;
      while (index < bytes.writerIndex()) {
        int size = PacketText.packetBytes(bytes, index);
        int left = bytes.writerIndex() - index;
        if (size > left) {
          head = Unpooled.copiedBuffer(bytes.slice(index, left));
          missingBytes = size - left;
        } else {
          writePacket("sent", bytes, index);
        }
        index += Math.min(size, left);
      }
    }
  }
}
