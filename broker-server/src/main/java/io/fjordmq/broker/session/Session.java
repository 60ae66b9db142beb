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
 * One connected client. Composed of a {@link Dialect} (how its protocol version speaks), a {@link
 * DeliverySource} (where its messages come from) and the parts that hold one conversation each:
 * {@link InboundPublishes}, {@link OutboundPublishes}, {@link Subscriptions}.
 *
 * <p>A session is born by {@link ConnectHandler} in steps that wait for stores (registered,
 * attached, subscribed again) and is open from the CONNACK on. It ends once, by {@link #end}; what
 * it holds is given back after the step that is under way.
 */
final class Session implements LiveSession {
  private static final Logger LOG = LoggerFactory.getLogger(Session.class);

  /** The conversations; there from the attach on. */
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
  private @Nullable InboxHandle willHandle; // of a transient session that has one
  private @Nullable KeepAlive keepAlive;
  private ClientEvents.@Nullable Client client;
  private long expirySeconds;
  private int readBytes;
  private boolean open;
  private boolean ended;
  private boolean fenced;
  // What was said about the inbox before the attach was answered.
  private boolean toldEarly;
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
            sessions.held(),
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

  /** True if the client is served. */
  boolean isOpen() {
    return open && !ended;
  }

  OutboundBacklog unread() {
    return outboundBacklog;
  }

  /**
   * The session's state is claimed: makes the parts.
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
    if (toldEarly && inbox != null) {
      inbox.refetch();
    }
    if (fencedEarly != null) {
      fencedEarly.forEach(this::fenced);
    }
  }

  /** The session is transient, and its will is in this inbox. */
  void willKept(InboxHandle inbox) {
    willHandle = inbox;
  }

  Parts parts() {
    if (parts == null) {
      throw new IllegalStateException("the session is not attached yet");
    }
    return parts;
  }

  /** Writes the CONNACK; from here on the client is served. */
  void open(boolean sessionPresent) {
    open = true;
    int keepAliveSeconds = connection.request().keepAliveSeconds();
    if (keepAliveSeconds > 0) {
      keepAlive = new KeepAlive(sessions.wheel(connection.loop()), this, keepAliveSeconds);
      connection.gate().countsSilence(keepAlive);
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

  /** A packet came in. */
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

  /** The client has read, or messages need not wait for its rate any more. */
  void writable() {
    if (!ended && parts != null) {
      parts.outbound().pump();
      parts.replay().resume();
      connection.writer().flush();
    }
  }

  /** Ends the session if the client has read nothing since the last call, though data waits. */
  void endIfStuck() {
    if (outboundBacklog.isStuck() && !ended) {
      end(CloseReason.CLIENT_TOO_SLOW, "did not read while memory was short");
    }
  }

  /** The client said goodbye. */
  void onDisconnect(Dialect.ClientDisconnect clientDisconnect) {
    if (clientDisconnect.expirySeconds() >= 0) {
      expirySeconds = clientDisconnect.expirySeconds();
    }
    end(clientDisconnect.reason(), "DISCONNECT received");
  }

  /** Ends the session and its connection; the first reason counts. */
  void end(CloseReason reason, String detail) {
    assert inEventLoop();
    if (ended) {
      return;
    }
    ended = true;
    endReason = reason;
    LOG.debug(
        "Client {} of tenant {} at {}: {}: {}",
        clientId(),
        tenant(),
        connection.peer(),
        reason.label(),
        detail);
    if (open) {
      connection.observer().disconnected(reason);
      if (client != null) {
        connection.services().events().disconnected(client, reason, connection.nowMillis());
      }
      connection.events().disconnected(connection.access().client(), reason.label());
      try {
        sendDisconnect(reason, detail);
      } finally {
        giveBack(); // whatever becomes of the words: there may be no memory for them
      }
    } else {
      // The step of the CONNECT that is under way gives back what was claimed until then.
      connection.observer().refused(reason);
      ConnectRequest request = connection.request();
      ConnAckRefusal.send(
          connection.channel(), request.protocolLevel(), request.maxPacketBytes(), reason, detail);
      sessions.resumes().leave(this);
    }
  }

  private void sendDisconnect(CloseReason reason, String detail) {
    Channel channel = connection.channel();
    String elsewhere = reason == CloseReason.USE_ANOTHER_SERVER ? sessions.serverReference() : "";
    MqttMessage lastWord =
        reason.isClientsDoing() ? null : connection.dialect().disconnect(reason, detail, elsewhere);
    if (lastWord != null) {
      connection.writer().message(lastWord);
    }
    connection.writer().flush();
    if (reason.isClientsDoing()) {
      channel.close();
    } else {
      LingeringClose.begin(channel);
    }
  }

  /** Gives back everything the session holds. Once, after {@link #end}. */
  void giveBack() {
    if (keepAlive != null) {
      keepAlive.cancel();
    }
    connection.throttle().cancel();
    connection.gate().abandon();
    connection.end(); // first: to give something up may answer those who wait for it
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
    boolean publishWill = open && endReason != null && !endReason.forgetsWill();
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
    SessionClaim claim = new SessionClaim(connection.services(), this);
    if (publishWill && endReason == CloseReason.NODE_DOWN) {
      claim.giveUp(inbox, sentBelow, expiresAfter, () -> sessions.release(this));
    } else {
      claim.giveBack(inbox, sentBelow, expiresAfter, publishWill, () -> sessions.release(this));
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
      // Attach and append were in one write: the push overtakes the answer, which lacks the entry.
      toldEarly = true;
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
      toldEarly = true;
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
      fencedEarly.add(which); // whether it is this one's inbox is not known yet
    } else if (which.equals(handle) || which.equals(willHandle)) {
      fenced = true;
      end(CloseReason.SESSION_TAKEN_OVER, "the session belongs to another connection");
    }
  }

  @Override
  public void takenOver() {
    assert inEventLoop();
    end(CloseReason.SESSION_TAKEN_OVER, "the same client identifier connected again");
  }
}
