package io.fjordmq.broker.delivery;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.broker.delivery.RepeatedPublishes.LivePart;
import io.fjordmq.broker.nodes.ItemOutcome;
import io.fjordmq.broker.nodes.ItemReceiver;
import io.fjordmq.broker.nodes.NodeItem;
import io.fjordmq.inbox.InboxSpan;
import io.fjordmq.inbox.PublishId;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Delivers the items of other nodes to the clients of this one. Items of one node keep their order;
 * all items of a batch are handed to the event loops at its end.
 */
public final class ReceivedItems implements ItemReceiver {
  private final LocalSubscriptions local;
  private final LiveDispatch dispatch;
  private final SessionRegistry registry;
  private final InboxEvents inboxes;
  private final BooleanSupplier isServing;

  /**
   * @param isServing whether no other node can consider this node's incarnation over
   */
  public ReceivedItems(
      LocalSubscriptions local,
      LiveDispatch dispatch,
      SessionRegistry registry,
      InboxEvents inboxes,
      BooleanSupplier isServing) {
    this.local = local;
    this.dispatch = dispatch;
    this.registry = registry;
    this.inboxes = inboxes;
    this.isServing = isServing;
  }

  @Override
  public void take(NodeItem item, Answer answer) {
    if (item instanceof NodeItem.Publish publish) {
      take(publish, answer);
    } else if (item instanceof NodeItem.Shared shared) {
      take(shared, answer);
    } else {
      takeNotice(item);
      answer.taken(true);
    }
  }

  /** Delays the answer while a mailbox is congested, so that publishers of the other node wait. */
  private void take(NodeItem.Publish publish, Answer answer) {
    PublishId id = publish.id();
    if (id != null && !dispatch.repeated().of(id).isFirst()) {
      answer.taken(true); // a duplicate, already delivered
      return;
    }
    Outbox outbox = dispatch.outbox();
    local
        .match(publish.tenant(), publish.message(), outbox)
        .fanOut()
        .send(publish.message(), outbox);
    Mailbox congested = outbox.takeCongested();
    if (congested == null) {
      answer.taken(true);
    } else {
      congested.whenDrained(() -> answer.taken(true));
    }
  }

  /**
   * Answers once the member has taken or refused the message. The sender chooses the next member,
   * since only it knows which ones were tried.
   */
  private void take(NodeItem.Shared shared, Answer answer) {
    ShareKey key = new ShareKey(shared.tenant(), shared.shareName(), shared.pattern());
    LivePart live = shared.id() == null ? null : dispatch.repeated().of(shared.id());
    if (live != null && live.hasServed(key)) {
      answer.taken(true); // a duplicate, a member has it
      return;
    }
    LocalSubscriber member = local.find(shared.tenant(), shared.member());
    SubscriptionOptions options =
        member == null ? null : member.liveOptionsOf(key.filterText(), shared.qos());
    // Without a lease, the sender may have chosen another member in the meantime.
    if (member == null || options == null || !isServing.getAsBoolean()) {
      answer.taken(false);
      return;
    }
    if (live != null) {
      live.serve(key);
    }
    // The sender uses the member's route, which may still be an earlier session's.
    dispatch
        .outbox()
        .send(
            Delivery.shared(shared.message(), options, key, shared.kept()),
            Recipients.chosen(member, new RemoteReceipt(key, live, answer)));
  }

  /**
   * Answers the sender with the outcome of a share's message. There is no answer if the event loop
   * of the member has ended: the end of this incarnation, which is imminent, settles everything.
   */
  private record RemoteReceipt(ShareKey share, @Nullable LivePart live, Answer answer)
      implements Recipients.Receipt {
    @Override
    public void refused() {
      if (live != null) {
        live.withdraw(
            share); // otherwise an attempt with another member here would look like a duplicate
      }
      answer.taken(false);
    }

    @Override
    public void noRoom() {
      if (live != null) {
        live.withdraw(share);
      }
      answer.settled(ItemOutcome.NO_ROOM);
    }

    @Override
    public void settled() {
      answer.taken(true);
    }
  }

  private void takeNotice(NodeItem item) {
    if (item instanceof NodeItem.Appended appended) {
      inboxes.appendedHere(appended.handle(), appended.entries());
    } else if (item instanceof NodeItem.Refetch again) {
      inboxes.refetchLocal(again.inbox());
    } else if (item instanceof NodeItem.InboxesLed led) {
      inboxes.ledHere(new InboxSpan(led.routing()));
    } else if (item instanceof NodeItem.Fenced fenced) {
      inboxes.fencedHere(fenced.handle());
    } else if (item instanceof NodeItem.Connected connected) {
      registry.connectedElsewhere(
          connected.tenant(), connected.clientId(), connected.connectOrder());
    }
  }

  @Override
  public void endOfBatch() {
    dispatch.outbox().flush();
  }
}
