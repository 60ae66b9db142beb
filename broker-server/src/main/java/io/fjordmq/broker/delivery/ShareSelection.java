package io.fjordmq.broker.delivery;

import io.fjordmq.api.Qos;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.broker.dispatch.CopyDropReason;
import io.fjordmq.broker.dispatch.DeliverySettings;
import io.fjordmq.broker.dispatch.LocalNode;
import io.fjordmq.broker.dispatch.LocalSubscriber;
import io.fjordmq.broker.dispatch.LocalSubscriptions;
import io.fjordmq.broker.dispatch.ShareKey;
import io.fjordmq.broker.dispatch.ShareStrategy;
import io.fjordmq.broker.dispatch.ShareStrategy.Rotation;
import io.fjordmq.broker.nodes.NodeStream;
import io.fjordmq.inbox.PublishId;
import io.fjordmq.router.Receiver;
import io.fjordmq.router.Route;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Picks the member of a share that receives a message: a connected member if there is one,
 * otherwise the inbox of an offline client. Thread-safe.
 */
final class ShareSelection {

  /** The receiver of the message. */
  sealed interface Choice {
    /**
     * A client connected to this node.
     *
     * @param options the options of its current subscription; the route may still hold those of an
     *     earlier session
     */
    record Live(LocalSubscriber member, Route route, SubscriptionOptions options)
        implements Choice {}

    /** A client connected to another node. */
    record RemoteClient(NodeStream stream, String clientId, Route route) implements Choice {}

    /** An inbox. */
    record Stored(Receiver.Inbox inbox, Route route) implements Choice {}

    /** No receiver. */
    record NoReceiver(CopyDropReason reason) implements Choice {}
  }

  /** A member as seen by the strategy, with the choice that it stands for. */
  private record Candidate(String clientId, boolean isLocal, Choice choice)
      implements ShareStrategy.Candidate {}

  private static final Choice NO_MEMBER = new Choice.NoReceiver(CopyDropReason.NO_SHARE_MEMBER);
  private static final Choice OFFLINE = new Choice.NoReceiver(CopyDropReason.QOS0_OFFLINE);
  private static final Choice CONGESTED = new Choice.NoReceiver(CopyDropReason.NODE_CONGESTED);

  private final LocalNode self;
  private final RemoteDelivery otherNodes;
  private final LocalSubscriptions local;
  private final SessionRegistry registry;
  private final DeliverySettings settings;
  private final ConcurrentHashMap<ShareKey, Rotation> rotations = new ConcurrentHashMap<>();

  ShareSelection(
      LocalNode self,
      RemoteDelivery others,
      LocalSubscriptions local,
      SessionRegistry registry,
      DeliverySettings settings) {
    this.self = self;
    this.otherNodes = others;
    this.local = local;
    this.registry = registry;
    this.settings = settings;
  }

  /** Picks one of the members that have not been tried yet. */
  Choice choose(ShareAttempt attempt) {
    Choice next = isRoundRobin(attempt) ? nextConnected(attempt) : null;
    return next != null ? next : chooseAmongAll(attempt);
  }

  private boolean isRoundRobin(ShareAttempt attempt) {
    return attempt.id() == null && settings.shareStrategy() == ShareStrategy.ROUND_ROBIN;
  }

  /**
   * Returns the first connected member, starting at the current position of the rotation; null if
   * none is connected. Stops at the first match, because a share may have thousands of members.
   */
  private @Nullable Choice nextConnected(ShareAttempt attempt) {
    List<Route> members = attempt.share().members();
    Rotation rotation = rotationOf(attempt.key());
    int first = rotation.position();
    for (int i = 0; i < members.size(); i++) {
      Route member = members.get(Integer.remainderUnsigned(first + i, members.size()));
      if (!attempt.hasTried(member)) {
        Choice choice = choiceOf(attempt, member);
        if (isConnected(attempt, choice)) {
          rotation.advance(i + 1);
          return choice;
        }
      }
    }
    return null;
  }

  private boolean isConnected(ShareAttempt attempt, Choice choice) {
    return choice instanceof Choice.Stored stored
        ? isConnectedHere(attempt, stored.inbox()) || isConnectedElsewhere(attempt, stored.inbox())
        : !(choice instanceof Choice.NoReceiver);
  }

  private Choice chooseAmongAll(ShareAttempt attempt) {
    List<Route> members = attempt.share().members();
    List<Candidate> connected = new ArrayList<>(members.size());
    List<Candidate> offline = new ArrayList<>();
    Choice noReceiver = NO_MEMBER;
    for (Route member : members) {
      if (attempt.hasTried(member)) {
        continue;
      }
      Choice choice = choiceOf(attempt, member);
      if (choice instanceof Choice.Stored stored) {
        addStored(attempt, stored, connected, offline);
      } else if (choice instanceof Choice.Live live) {
        connected.add(new Candidate(live.member().session().clientId(), true, live));
      } else if (choice instanceof Choice.RemoteClient remoteClient) {
        connected.add(new Candidate(remoteClient.clientId(), false, remoteClient));
      } else if (choice != NO_MEMBER
          && noReceiver != CONGESTED) { // congestion is temporary, so it takes precedence
        noReceiver = choice;
      }
    }
    List<Candidate> candidates = connected.isEmpty() ? offline : connected;
    if (candidates.isEmpty()) {
      return noReceiver;
    }
    return candidates.get(pick(candidates, attempt)).choice();
  }

  private void addStored(
      ShareAttempt attempt,
      Choice.Stored stored,
      List<Candidate> connected,
      List<Candidate> offline) {
    boolean here = isConnectedHere(attempt, stored.inbox());
    boolean there = !here && isConnectedElsewhere(attempt, stored.inbox());
    (here || there ? connected : offline)
        .add(new Candidate(stored.inbox().clientId(), here, stored));
  }

  private boolean isConnectedHere(ShareAttempt attempt, Receiver.Inbox member) {
    return registry.find(attempt.key().tenant(), member.clientId()) != null;
  }

  /**
   * Whether the member is connected to another node. While connected, a member with an inbox also
   * has a live route, which names its node.
   */
  private boolean isConnectedElsewhere(ShareAttempt attempt, Receiver.Inbox member) {
    List<Receiver.Live> connections =
        attempt.share().connectionsByClientId().getOrDefault(member.clientId(), List.of());
    for (int i = 0; i < connections.size(); i++) {
      if (otherNodes.find(connections.get(i)) != null) {
        return true;
      }
    }
    return false;
  }

  /**
   * Picks a candidate. A message that may be resent goes to the same member each time, so that this
   * member detects duplicates and the share receives the message exactly once. This holds as long
   * as that member remains and no new member has a higher hash rank.
   */
  private int pick(List<Candidate> candidates, ShareAttempt attempt) {
    ShareStrategy strategy = settings.shareStrategy();
    PublishId id = attempt.id();
    return id != null && strategy.mayVaryBetweenAttempts()
        ? ShareStrategy.pickByHash(candidates, Objects.hash(id.producer(), id.sequence()))
        : strategy.pick(candidates, attempt.message(), rotationOf(attempt.key()));
  }

  /** The number of shares whose rotation is remembered. */
  int rotationCount() {
    return rotations.size();
  }

  static String clientIdOf(Route member) {
    return member.receiver() instanceof Receiver.Inbox inbox
        ? inbox.clientId()
        : ((Receiver.Live) member.receiver()).member();
  }

  /**
   * Messages with QoS 1 and 2 go to the member's inbox if it has one; all others go to its
   * connection.
   */
  private Choice choiceOf(ShareAttempt attempt, Route member) {
    Qos qos = attempt.message().qos().min(member.options().maxQos());
    boolean atMostOnce = qos == Qos.AT_MOST_ONCE;
    if (member.receiver() instanceof Receiver.Inbox inbox) {
      return atMostOnce ? OFFLINE : new Choice.Stored(inbox, member);
    }
    Receiver.Live live = (Receiver.Live) member.receiver();
    if (!atMostOnce && attempt.share().connectionsByClientId().containsKey(live.member())) {
      return NO_MEMBER;
    }
    if (self.isCurrentIncarnation(live)) {
      return liveChoice(live.member(), member, qos);
    }
    NodeStream stream = otherNodes.find(live);
    if (stream == null) {
      return NO_MEMBER;
    }
    return atMostOnce && stream.isFull()
        ? CONGESTED
        : new Choice.RemoteClient(stream, live.member(), member);
  }

  /**
   * Chooses the member if it is connected to this node and still subscribed, since its route may be
   * outdated.
   */
  private Choice liveChoice(String clientId, Route member, Qos routeQos) {
    LocalSubscriber localSubscriber = local.find(member.tenant(), clientId);
    SubscriptionOptions options =
        localSubscriber == null
            ? null
            : localSubscriber.liveOptionsOf(member.filter().text(), routeQos);
    return localSubscriber == null || options == null
        ? NO_MEMBER
        : new Choice.Live(localSubscriber, member, options);
  }

  private Rotation rotationOf(ShareKey key) {
    Rotation rotation = rotations.get(key);
    if (rotation != null) {
      return rotation;
    }
    if (rotations.size() >= settings.maxShares()) {
      rotations.clear(); // ended shares cannot be identified, so all rotations are reset
    }
    return rotations.computeIfAbsent(key, k -> new Rotation());
  }
}
