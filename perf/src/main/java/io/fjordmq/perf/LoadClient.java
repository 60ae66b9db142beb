package io.fjordmq.perf;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.nio.channels.ClosedChannelException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One MQTT connection of the load tool. Must be used on its channel's event loop, unless a method
 * says otherwise; {@link #connected} and {@link #subscribe} complete there.
 */
public final class LoadClient extends ByteToMessageDecoder {

  /** Receives packets from the broker; called on the event loop. */
  public interface Receiver {
    /** The receiver of a client that expects no packets: any packet is an error. */
    Receiver NOTHING = new Receiver() {};

    /** Called for each PUBLISH. The buffer is positioned at the payload and must not be kept. */
    default void onPublish(ByteBuf payload) {
      throw new IllegalStateException("unexpected PUBLISH: this client has no subscription");
    }

    /** Called for each PUBACK (QoS 1) or PUBCOMP (QoS 2), in any order. */
    default void onPuback(int packetIdentifier) {
      throw new IllegalStateException("unexpected PUBACK: this client does not publish");
    }

    /** Called when an accepted connection has ended although this client did not close it. */
    default void onLost(String reason) {}
  }

  private final ConnectSettings connectSettings;
  private final Receiver receiver;
  private final CompletableFuture<LoadClient> connected = new CompletableFuture<>();

  /**
   * Packet identifiers of QoS 2 messages that were received but not released by a PUBREL yet, to
   * recognize duplicates.
   */
  private @Nullable Set<Integer> unreleased;

  private ScramLogin.@Nullable Exchange exchange;
  private @Nullable CompletableFuture<LoadClient> subscribed;
  private @Nullable Channel channel;
  private @Nullable String closeReason;
  private boolean closing;
  private int subscribedQos;
  private int packetIdentifier;
  private int receiveMaximum;

  public LoadClient(String clientId, boolean cleanSession, Receiver receiver) {
    this(ConnectSettings.simple(clientId, cleanSession), receiver);
  }

  public LoadClient(ConnectSettings connectSettings, Receiver receiver) {
    this.connectSettings = connectSettings;
    this.receiver = receiver;
  }

  /**
   * Completes when the broker has accepted the client. Fails with a {@link RefusedException} if the
   * broker refuses it, otherwise with the cause.
   */
  public CompletableFuture<LoadClient> connected() {
    return connected;
  }

  /** Returns whether the broker has accepted the client. May be called on any thread. */
  public boolean isAccepted() {
    return connected.isDone() && !connected.isCompletedExceptionally();
  }

  /**
   * Returns the channel of the connection.
   *
   * @throws IllegalStateException if the client is not connected yet
   */
  public Channel channel() {
    Channel open = channel;
    if (open == null) {
      throw new IllegalStateException(connectSettings.clientId() + " is not connected");
    }
    return open;
  }

  public CompletableFuture<LoadClient> subscribe(String filter, int qos) {
    return subscribe(List.of(filter), qos);
  }

  /**
   * Sends a SUBSCRIBE. The previous one must have completed.
   *
   * @return fails if the broker refuses a filter or grants a lower QoS
   */
  public CompletableFuture<LoadClient> subscribe(List<String> filters, int qos) {
    CompletableFuture<LoadClient> subscribing = new CompletableFuture<>();
    subscribed = subscribing;
    subscribedQos = qos;
    ByteBuf out = channel().alloc().buffer();
    MqttPacketWriter.subscribe(
        out, connectSettings.version(), nextPacketIdentifier(), filters, qos);
    channel().writeAndFlush(out);
    return subscribing;
  }

  /** Returns the next packet identifier, from 1 to 65,535, then 1 again. */
  public int nextPacketIdentifier() {
    packetIdentifier = packetIdentifier == 65_535 ? 1 : packetIdentifier + 1;
    return packetIdentifier;
  }

  /** Returns the number of unacknowledged publishes that the broker accepts. */
  public int receiveMaximum() {
    return receiveMaximum;
  }

  /** Sends DISCONNECT and closes the connection. May be called on any thread. */
  public void close() {
    channel()
        .eventLoop()
        .execute(
            () -> {
              closing = true;
              ByteBuf out = channel().alloc().buffer();
              MqttPacketWriter.disconnect(out);
              channel().writeAndFlush(out).addListener(f -> channel().close());
            });
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    channel = context.channel();
    ByteBuf out = context.alloc().buffer();
    ScramLogin scram = connectSettings.scram();
    if (scram == null) {
      MqttPacketWriter.writeConnect(out, connectSettings);
    } else {
      exchange = scram.begin();
      MqttPacketWriter.writeConnect(out, connectSettings, ScramLogin.METHOD, exchange.first());
    }
    context.writeAndFlush(out);
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    while (readPacket(context, in)) {
      // readPacket has consumed one packet
    }
    context.flush();
  }

  private boolean readPacket(ChannelHandlerContext context, ByteBuf in) {
    int start = in.readerIndex();
    int available = in.readableBytes();
    int length = 0;
    int header = 1;
    while (true) {
      if (available <= header) {
        return false;
      }
      int digit = in.getByte(start + header);
      length |= (digit & 0x7F) << (7 * (header - 1));
      header++;
      if ((digit & 0x80) == 0) {
        break;
      }
    }
    if (available < header + length) {
      return false;
    }
    int first = in.getUnsignedByte(start);
    in.skipBytes(header);
    handle(context, first, in.readSlice(length));
    return true;
  }

  private void handle(ChannelHandlerContext context, int first, ByteBuf body) {
    switch (first >> 4) {
      case MqttPacketWriter.PUBLISH -> {
        body.skipBytes(body.readUnsignedShort());
        int qos = first >> 1 & 3;
        int identifier = qos == 0 ? 0 : body.readUnsignedShort();
        if (qos > 0) {
          acknowledge(
              context, qos == 1 ? MqttPacketWriter.PUBACK : MqttPacketWriter.PUBREC, identifier);
        }
        if (connectSettings.isMqtt5()) {
          body.skipBytes(MqttPacketWriter.readLength(body));
        }
        if (qos < 2 || unreleased().add(identifier)) {
          receiver.onPublish(body);
        }
      }
      case MqttPacketWriter.PUBREC ->
          acknowledge(context, MqttPacketWriter.PUBREL, acceptedIdentifier("PUBREC", body));
      case MqttPacketWriter.PUBREL -> {
        int identifier = acceptedIdentifier("PUBREL", body);
        unreleased().remove(identifier);
        acknowledge(context, MqttPacketWriter.PUBCOMP, identifier);
      }
      case MqttPacketWriter.PUBACK -> receiver.onPuback(acceptedIdentifier("PUBACK", body));
      case MqttPacketWriter.PUBCOMP -> receiver.onPuback(acceptedIdentifier("PUBCOMP", body));
      case MqttPacketWriter.CONNACK -> onConnack(Connack.read(body, connectSettings.version()));
      case MqttPacketWriter.AUTH -> onAuth(context, Connack.authenticationData(body));
      case MqttPacketWriter.SUBACK -> onSuback(body);
      case MqttPacketWriter.PINGRESP -> {}
      case MqttPacketWriter.DISCONNECT ->
          closeReason = "DISCONNECT " + (body.isReadable() ? hex(body.readUnsignedByte()) : "");
      default -> throw new IllegalStateException("unexpected packet type " + (first >> 4));
    }
  }

  /** Returns the set, which is created on demand because most clients never need it. */
  private Set<Integer> unreleased() {
    Set<Integer> identifiers = unreleased;
    if (identifiers == null) {
      identifiers = new HashSet<>();
      unreleased = identifiers;
    }
    return identifiers;
  }

  private static void acknowledge(ChannelHandlerContext context, int type, int identifier) {
    ByteBuf out = context.alloc().buffer(4);
    MqttPacketWriter.acknowledge(out, type, identifier);
    context.write(out, context.voidPromise());
  }

  /** Returns the packet identifier of a response; throws if its reason code is an error. */
  private static int acceptedIdentifier(String name, ByteBuf body) {
    int identifier = body.readUnsignedShort();
    int code = body.isReadable() ? body.readUnsignedByte() : 0;
    if (code >= 0x80) {
      throw new IllegalStateException(name + " " + hex(code));
    }
    return identifier;
  }

  private void onAuth(ChannelHandlerContext context, byte[] data) {
    if (exchange == null) {
      throw new IllegalStateException("unexpected AUTH");
    }
    ByteBuf out = context.alloc().buffer();
    MqttPacketWriter.authenticate(out, ScramLogin.METHOD, exchange.last(data));
    context.write(out, context.voidPromise());
  }

  private void onConnack(Connack connack) {
    if (connack.code() != 0) {
      connected.completeExceptionally(new RefusedException("CONNACK " + hex(connack.code())));
      return;
    }
    if (exchange != null) {
      exchange.verify(connack.authenticationData());
    }
    receiveMaximum = connack.receiveMaximum();
    int keepAlive = connectSettings.keepAliveSeconds();
    if (keepAlive > 0) {
      Channel open = channel();
      var pings =
          open.eventLoop().scheduleAtFixedRate(this::ping, keepAlive, keepAlive, TimeUnit.SECONDS);
      open.closeFuture().addListener(closed -> pings.cancel(false));
    }
    connected.complete(this);
  }

  private void ping() {
    ByteBuf out = channel().alloc().buffer(2);
    MqttPacketWriter.ping(out);
    channel().writeAndFlush(out, channel().voidPromise());
  }

  private void onSuback(ByteBuf body) {
    CompletableFuture<LoadClient> subscribing = subscribed;
    if (subscribing == null) {
      throw new IllegalStateException("unexpected SUBACK");
    }
    body.skipBytes(2);
    if (connectSettings.isMqtt5()) {
      body.skipBytes(MqttPacketWriter.readLength(body));
    }
    while (body.isReadable()) {
      int code = body.readUnsignedByte();
      if (code != subscribedQos) {
        subscribing.completeExceptionally(new IllegalStateException("SUBACK " + hex(code)));
      }
    }
    subscribing.complete(this);
  }

  private static String hex(int code) {
    return String.format("0x%02X", code);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) throws Exception {
    String reason = closeReason == null ? "connection closed by the broker" : closeReason;
    boolean accepted = isAccepted();
    connected.completeExceptionally(new IllegalStateException(reason));
    CompletableFuture<LoadClient> waiting = subscribed;
    if (waiting != null) {
      waiting.completeExceptionally(new IllegalStateException(reason));
    }
    if (accepted && !closing) {
      receiver.onLost(reason);
    }
    super.channelInactive(context);
  }

  /**
   * Records the cause of a failed TLS handshake, because no other event reports it before the
   * channel closes.
   */
  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
    if (event instanceof SslHandshakeCompletionEvent handshake && !handshake.isSuccess()) {
      Throwable cause = handshake.cause();
      closeReason =
          cause instanceof ClosedChannelException
              ? "connection closed by the broker during the TLS handshake"
              : "TLS handshake failed: " + cause.getMessage();
    }
    super.userEventTriggered(context, event);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    String message = cause.getMessage();
    closeReason = message == null ? cause.toString() : message;
    connected.completeExceptionally(cause);
    context.close();
  }
}
