package io.fjordmq.broker.session;

import io.fjordmq.broker.delivery.Delivery;
import io.fjordmq.broker.delivery.DeliveryResult;
import io.fjordmq.broker.delivery.LiveSession;
import io.fjordmq.broker.delivery.SessionRegistry.Registration;
import io.fjordmq.broker.security.ClientAccess;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.InboxEntry;
import io.fjordmq.inbox.InboxHandle;
import io.netty.channel.Channel;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connected client. Composed of a {@link Dialect} (its protocol version), a {@link
 * DeliverySource} (the source of its messages) and parts that each handle one kind of packet
 * exchange: {@link InboundPublishes}, {@link OutboundPublishes}, {@link Subscriptions}.
 *
 * <p>{@link ConnectHandler} creates a session in steps that wait for stores (registered, attached,
 * subscriptions restored). It is open from the CONNACK on. It ends once, by {@link #end}; before
 * the CONNACK, its resources are released after the step in progress.
 */
final class Session implements LiveSession {
  private static final Logger LOG = LoggerFactory.getLogger(Session.class);

  /** The parts that exist once the session is attached. */
  record Parts(
      InboundPublishes inbound,
      OutboundPublishes outbound,
      Subscriptions subscriptions,
      RetainedReplay replay) {}

  private final Sessions sessions;
  private final Connection connection;
  private final Registration registration;
  private final OutboundBacklog outboundBacklog;
  private @Nullable Parts parts;
  private @Nullable InboxHandle handle;
  private @Nullable InboxHandle willHandle; // of a transient session that needs one
  private @Nullable KeepAlive keepAlive;
  private ClientEvents.@Nullable Client client;
  private long expirySeconds;
  private int readBytes;
  private boolean open;
  private boolean ended;
  private boolean fenced;
  // Reports about the inbox that arrived before the result of the attach.
  private boolean pushedEarly;
  private @Nullable List<InboxHandle> fencedEarly;
  private @Nullable CloseReason endReason;

  Session(
      Sessions sessions,
      Channel channel,
      ConnectRequest request,
      ClientAccess access,
      ReadSlices slices) {
    this.sessions = sessions;
    this.connection =
        new Connection(
            channel,
            sessions.services(),
            request,
            access,
            slices,
            sessions.wheel(channel.eventLoop()),
            sessions.pausedClients(),
            violation -> end(violation.reason(), violation.detail()),
            this::writable);
    this.outboundBacklog = new OutboundBacklog(connection);
    this.expirySeconds = request.expirySeconds();
    this.registration = sessions.register(this);
  }

  Connection connection() {
    return connection;
  }

  Registration registration() {
    return registration;
  }

  boolean isEnded() {
    return ended;
  }

  /** True from the CONNACK until the session ends. */
  boolean isOpen() {
    return open && !ended;
  }

  OutboundBacklog outboundBacklog() {
    return outboundBacklog;
  }

  /**
   * The session's state belongs to this connection: creates the parts.
   *
   * @param attachment of a persistent session; null if it is transient
   */
  void attached(@Nullable Attachment attachment) {
    handle = attachment == null ? null : attachment.handle();
    OutboundPublishes outbound = new OutboundPublishes(connection, attachment);
    RetainedReplay replay = new RetainedReplay(connection, outbound, attachment);
    parts =
        new Parts(
            new InboundPublishes(connection, new ReceivedQos2(connection, attachment)),
            outbound,
            new Subscriptions(connection, this, attachment, replay),
            replay);
    InboxSource inbox = outbound.inbox();
    if (pushedEarly && inbox != null) {
      inbox.refetch();
    }
    if (fencedEarly != null) {
      fencedEarly.forEach(this::fenced);
    }
  }

  /** Sets the inbox that holds the will or the exclusive user of a transient session. */
  void willAttached(InboxHandle inbox) {
    willHandle = inbox;
  }

  Parts parts() {
    if (parts == null) {
      throw new IllegalStateException("session is not attached yet");
    }
    return parts;
  }

  /** Writes the CONNACK and opens the session. */
  void open(boolean sessionPresent) {
    open = true;
    int keepAliveSeconds = connection.request().keepAliveSeconds();
    if (keepAliveSeconds > 0) {
      keepAlive = new KeepAlive(sessions.wheel(connection.loop()), this, keepAliveSeconds);
      connection.gate().setKeepAlive(keepAlive);
    }
    connection.writer().message(connection.dialect().accepted(sessionPresent));
    connection.observer().connected(connection.request().protocolLevel(), handle != null);
    if (connection.services().events() != ClientEvents.NONE) {
      client = ClientEvents.Client.of(connection);
      connection.services().events().connected(client);
    }
    connection.events().connected(connection.access().client());
    parts().outbound().start();
    connection.writer().flush();
  }

  /** Accounts for a received packet. */
  void onPacket(MqttMessage packet) {
    MqttFixedHeader header = packet.fixedHeader();
    int bytes = PublishEncoder.packetBytes(header.remainingLength());
    readBytes += bytes;
    connection.throttle().read(bytes, header.messageType() == MqttMessageType.PUBLISH);
    if (keepAlive != null) {
      keepAlive.onActivity();
    }
  }

  /** All packets of a read were handled. */
  void endOfRead() {
    connection.observer().read(readBytes);
    readBytes = 0;
    if (ended || parts == null) {
      return;
    }
    parts.inbound().endOfRead();
    if (!ended) {
      parts.outbound().endOfRead();
      parts.replay().resume();
      connection.writer().flush();
      outboundBacklog.endOfRead();
    }
  }

  /** The channel is writable again, or the write rate allows messages again. */
  void writable() {
    if (!ended && parts != null) {
      parts.outbound().pump();
      parts.replay().resume();
      connection.writer().flush();
    }
  }

  /** Ends the session if data is pending and the client has read nothing since the last call. */
  void endIfStuck() {
    if (outboundBacklog.isStuck() && !ended) {
      end(CloseReason.CLIENT_TOO_SLOW, "client did not read while the node was short of memory");
    }
  }

  /** Handles the client's DISCONNECT. */
  void onDisconnect(Dialect.ClientDisconnect clientDisconnect) {
    if (clientDisconnect.expirySeconds() >= 0) {
      expirySeconds = clientDisconnect.expirySeconds();
    }
    end(clientDisconnect.reason(), "DISCONNECT received");
  }

  /** Ends the session and its connection. Only the first call has an effect. */
  void end(CloseReason reason, String detail) {
    assert inEventLoop();
    if (ended) {
      return;
    }
    ended = true;
    endReason = reason;
    LOG.debug(
        "Session ended: reason={} detail={} client={} tenant={} peer={}",
        reason.label(),
        detail,
        clientId(),
        tenant(),
        connection.peer());
    if (open) {
      connection.observer().disconnected(reason);
      if (client != null) {
        connection.services().events().disconnected(client, reason, connection.nowMillis());
      }
      connection.events().disconnected(connection.access().client(), reason.label());
      try {
        sendDisconnect(reason, detail);
      } finally {
        releaseResources(); // even if there is no memory for the DISCONNECT
      }
    } else {
      // The CONNECT step in progress releases the resources acquired so far.
      connection.observer().refused(reason);
      ConnectRequest request = connection.request();
      ConnAckRefusal.send(
          connection.channel(), request.protocolLevel(), request.maxPacketBytes(), reason, detail);
      sessions.resumes().leave(this);
    }
  }

  private void sendDisconnect(CloseReason reason, String detail) {
    Channel channel = connection.channel();
    String reference = reason == CloseReason.USE_ANOTHER_SERVER ? sessions.serverReference() : "";
    MqttMessage packet =
        reason.isClientInitiated()
            ? null
            : connection.dialect().disconnect(reason, detail, reference);
    if (packet != null) {
      connection.writer().message(packet);
    }
    connection.writer().flush();
    if (reason.isClientInitiated()) {
      channel.close();
    } else {
      LingeringClose.begin(channel);
    }
  }

  /** Releases everything that the session holds. Called once, after {@link #end}. */
  void releaseResources() {
    if (keepAlive != null) {
      keepAlive.cancel();
    }
    connection.throttle().cancel();
    connection.gate().abandon();
    // First: releasing resources may complete futures that callbacks of this session wait for.
    connection.end();
    if (parts != null) {
      parts.inbound().end();
      parts.subscriptions().end();
      connection.services().live().removeAll(this);
      // Acknowledgements are committed here, before the detach below.
      List<Delivery> leftToShares = parts.outbound().end();
      if (!leftToShares.isEmpty()) {
        connection.services().publishRouter().redistribute(this, leftToShares);
      }
    }
    boolean publishWill = open && endReason != null && !endReason.discardsWill();
    InboxHandle inbox = handle;
    InboxHandle willInbox = willHandle;
    if (fenced) {
      sessions.release(this);
    } else if (inbox != null) {
      detach(inbox, parts().outbound().window().sentBelow(), expirySeconds, publishWill);
    } else if (willInbox != null) {
      detach(willInbox, 0, 0, publishWill);
    } else {
      sessions.release(this);
    }
  }

  private void detach(InboxHandle inbox, long sentBelow, long expiresAfter, boolean publishWill) {
    SessionOwnership claim = new SessionOwnership(connection.services(), this);
    if (publishWill && endReason == CloseReason.NODE_DOWN) {
      claim.abandon(inbox, sentBelow, expiresAfter, () -> sessions.release(this));
    } else {
      claim.release(inbox, sentBelow, expiresAfter, publishWill, () -> sessions.release(this));
    }
  }

  @Override
  public String tenant() {
    return connection.tenant();
  }

  @Override
  public String clientId() {
    return connection.clientId();
  }

  @Override
  public boolean isPersistent() {
    return handle != null;
  }

  @Override
  public Executor eventLoop() {
    return connection.loop();
  }

  @Override
  public boolean inEventLoop() {
    return connection.loop().inEventLoop();
  }

  @Override
  public DeliveryResult deliver(Delivery delivery) {
    assert inEventLoop();
    if (ended || parts == null) {
      return DeliveryResult.ENDED;
    }
    return parts.outbound().deliver(delivery);
  }

  @Override
  public void flush() {
    assert inEventLoop();
    if (!ended && parts != null) {
      parts.outbound().pump();
      connection.writer().flush();
    }
  }

  @Override
  public void appended(InboxHandle to, List<InboxEntry> entries) {
    assert inEventLoop();
    if (parts == null) {
      // Attach and append were in one write: the push overtook the result, which lacks the entry.
      pushedEarly = true;
    }
    if (ended || parts == null || !to.equals(handle)) {
      return;
    }
    InboxSource inbox = parts.outbound().inbox();
    if (inbox != null) {
      inbox.appended(entries);
      connection.writer().flush();
    }
  }

  @Override
  public CompletableFuture<?> refetch() {
    assert inEventLoop();
    if (parts == null) {
      pushedEarly = true;
    }
    InboxSource inbox = ended || parts == null ? null : parts.outbound().inbox();
    if (inbox == null) {
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<?> read = inbox.refetch();
    connection.writer().flush();
    return read;
  }

  @Override
  public void fenced(InboxHandle which) {
    assert inEventLoop();
    if (parts == null) {
      fencedEarly = fencedEarly == null ? new ArrayList<>(1) : fencedEarly;
      fencedEarly.add(which); // not yet known whether it is this session's inbox
    } else if (which.equals(handle) || which.equals(willHandle)) {
      fenced = true;
      end(CloseReason.SESSION_TAKEN_OVER, "session taken over by another connection");
    }
  }

  @Override
  public void takenOver() {
    assert inEventLoop();
    end(CloseReason.SESSION_TAKEN_OVER, "new connection with the same client identifier");
  }
}
