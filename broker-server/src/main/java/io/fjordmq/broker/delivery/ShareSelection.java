package io.fjordmq.broker.delivery;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.broker.delivery.ShareStrategy.Candidate;
import io.fjordmq.broker.delivery.ShareStrategy.Turn;
import io.fjordmq.inbox.PublishId;
import io.fjordmq.router.MatchedRoutes.ShareMatch;
import io.fjordmq.router.Receiver;
import io.fjordmq.router.Route;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Picks the member of a share that gets a message: one that is connected if there is one, else an
 * inbox whose client will come back. Thread-safe.
 */
final class ShareSelection {

  /** Where the message goes. */
  sealed interface Choice {
    /**
     * To a connected client.
     *
     * @param options of its subscription: those of the route may still be an earlier session's
     */
    record Live(Subscriber member, Route route, SubscriptionOptions options) implements Choice {}

    /** To an inbox. */
    record Stored(Receiver.Inbox inbox, Route route) implements Choice {}

    /** To nobody. */
    record Lost(DropReason reason) implements Choice {}
  }

  private static final Choice GONE = new Choice.Lost(DropReason.NO_SHARE_MEMBER);
  private static final Choice OFFLINE = new Choice.Lost(DropReason.QOS0_OFFLINE);
  private static final Choice ELSEWHERE = new Choice.Lost(DropReason.OTHER_NODE);

  private final LocalNode self;
  private final LocalSubscriptions local;
  private final SessionRegistry registry;
  private final DeliverySettings settings;
  private final ConcurrentHashMap<ShareKey, Turn> turns = new ConcurrentHashMap<>();

  ShareSelection(
      LocalNode self,
      LocalSubscriptions local,
      SessionRegistry registry,
      DeliverySettings settings) {
    this.self = self;
    this.local = local;
    this.registry = registry;
    this.settings = settings;
  }

  /** Picks one of the members that have not been tried. */
  Choice choose(ShareAttempt attempt) {
    ShareKey key = attempt.key();
    Message message = attempt.message();
    ShareMatch share = attempt.share();
    List<Candidate> connected = new ArrayList<>(share.members().size());
    List<Candidate> offline = new ArrayList<>();
    Choice nobody = GONE;
    for (Route member : share.members()) {
      if (attempt.tried().contains(clientIdOf(member))) {
        continue;
      }
      Choice choice = choiceOf(key.tenant(), member, message);
      if (choice instanceof Choice.Stored stored) {
        boolean attached = registry.find(key.tenant(), stored.inbox().clientId()) != null;
        (attached ? connected : offline)
            .add(new Candidate(stored.inbox().clientId(), attached, stored));
      } else if (choice instanceof Choice.Live live) {
        connected.add(new Candidate(live.member().session().clientId(), true, live));
      } else if (choice != GONE) {
        nobody = choice;
      }
    }
    List<Candidate> candidates = connected.isEmpty() ? offline : connected;
    if (candidates.isEmpty()) {
      return nobody;
    }
    return candidates.get(pick(candidates, attempt)).choice();
  }

  /**
   * A message that may be repeated goes to the same member each time, as long as the same ones are
   * there: there it is recognised, so that the share gets it exactly once.
   */
  private int pick(List<Candidate> candidates, ShareAttempt attempt) {
    ShareStrategy strategy = settings.shareStrategy();
    PublishId id = attempt.id();
    return id != null && strategy.takesTurns()
        ? ShareStrategy.byHash(candidates, id.hashCode())
        : strategy.pick(candidates, attempt.message(), turnOf(attempt.key()));
  }

  /** Shares whose turn is remembered. */
  int remembered() {
    return turns.size();
  }

  static String clientIdOf(Route member) {
    return member.receiver() instanceof Receiver.Inbox inbox
        ? inbox.clientId()
        : ((Receiver.Live) member.receiver()).member();
  }

  private Choice choiceOf(String tenant, Route member, Message message) {
    if (member.receiver() instanceof Receiver.Inbox inbox) {
      return message.qos().min(member.options().maxQos()) == Qos.AT_MOST_ONCE
          ? liveChoice(tenant, inbox.clientId(), member, OFFLINE)
          : new Choice.Stored(inbox, member);
    }
    Receiver.Live live = (Receiver.Live) member.receiver();
    if (self.is(live)) {
      return liveChoice(tenant, live.member(), member, GONE);
    }
    return live.node().equals(self.id()) ? GONE : ELSEWHERE;
  }

  /** The member if it is connected here and still subscribed; its route may outlive both. */
  private Choice liveChoice(String tenant, String clientId, Route member, Choice otherwise) {
    Subscriber subscriber = local.find(tenant, clientId);
    SubscriptionOptions options = subscriber == null ? null : subscriber.optionsOf(member.filter());
    return subscriber == null || options == null
        ? otherwise
        : new Choice.Live(subscriber, member, options);
  }

  private Turn turnOf(ShareKey key) {
    Turn turn = turns.get(key);
    if (turn != null) {
      return turn;
    }
    if (turns.size() >= settings.maxShares()) {
      turns.clear(); // shares that are gone are not told apart: all begin anew
    }
    return turns.computeIfAbsent(key, k -> new Turn());
  }
}
