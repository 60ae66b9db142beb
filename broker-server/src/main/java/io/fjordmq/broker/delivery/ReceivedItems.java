package io.fjordmq.broker.delivery;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.broker.delivery.RepeatedPublishes.LivePart;
import io.fjordmq.broker.nodes.ItemReceiver;
import io.fjordmq.broker.nodes.NodeItem;
import io.fjordmq.inbox.InboxSpan;
import io.fjordmq.inbox.PublishId;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * What other nodes bring for the clients of this one. Items of one node come in order, and leave in
 * order: all that came together are handed to the event loops at the end of the batch.
 */
public final class ReceivedItems implements ItemReceiver {
  private final LocalSubscriptions local;
  private final LiveDispatch dispatch;
  private final SessionRegistry registry;
  private final InboxEvents inboxes;
  private final Publisher publisher;
  private final BooleanSupplier isServing;

  /**
   * @param publisher gives a share's message to another member if the one it came for has gone
   * @param isServing whether no other node can count this node's life as over
   */
  public ReceivedItems(
      LocalSubscriptions local,
      LiveDispatch dispatch,
      SessionRegistry registry,
      InboxEvents inboxes,
      Publisher publisher,
      BooleanSupplier isServing) {
    this.local = local;
    this.dispatch = dispatch;
    this.registry = registry;
    this.inboxes = inboxes;
    this.publisher = publisher;
    this.isServing = isServing;
  }

  @Override
  public void take(NodeItem item, Answer answer) {
    if (item instanceof NodeItem.Publish publish) {
      take(publish, answer);
    } else if (item instanceof NodeItem.Shared shared) {
      answer.taken(take(shared));
    } else {
      takeNotice(item);
      answer.taken(true);
    }
  }

  /**
   * The answer is late while an event loop has too much to do: the other node's publishers wait.
   */
  private void take(NodeItem.Publish publish, Answer answer) {
    PublishId id = publish.id();
    if (id != null && !dispatch.repeated().of(id).isFirst()) {
      answer.taken(true); // repeated, and they have it
      return;
    }
    Outbox outbox = dispatch.outbox();
    local.match(publish.tenant(), publish.message()).fanOut().send(publish.message(), outbox);
    Mailbox congested = outbox.takeCongested();
    if (congested == null) {
      answer.taken(true);
    } else {
      congested.whenDrained(() -> answer.taken(true));
    }
  }

  private boolean take(NodeItem.Shared shared) {
    ShareKey key = new ShareKey(shared.tenant(), shared.shareName(), shared.pattern());
    LivePart live = shared.id() == null ? null : dispatch.repeated().of(shared.id());
    if (live != null && live.hasServed(key)) {
      return true; // repeated, and a member has it
    }
    if (!isServing.getAsBoolean()) {
      return false; // who sent it may have given it to another member by now
    }
    Subscriber member = local.find(shared.tenant(), shared.member());
    SubscriptionOptions options =
        member == null ? null : member.liveOptionsOf(key.filterText(), shared.qos());
    if (member == null || options == null) {
      return false;
    }
    if (live != null) {
      live.serve(key);
    }
    // The sender goes by the member's route, which may still be an earlier session's.
    dispatch
        .outbox()
        .send(
            Delivery.shared(shared.message(), options, key),
            Recipients.chosen(
                member, refused -> publisher.redistribute(member.session(), List.of(refused))));
    return true;
  }

  private void takeNotice(NodeItem item) {
    if (item instanceof NodeItem.Appended appended) {
      inboxes.appendedHere(appended.handle(), appended.entries());
    } else if (item instanceof NodeItem.LookAgain again) {
      inboxes.lookAgainHere(again.inbox());
    } else if (item instanceof NodeItem.InboxesLed led) {
      inboxes.ledHere(new InboxSpan(led.routing()));
    } else if (item instanceof NodeItem.Fenced fenced) {
      inboxes.fencedHere(fenced.handle());
    } else if (item instanceof NodeItem.Connected connected) {
      registry.connectedElsewhere(connected.tenant(), connected.clientId(), connected.claim());
    }
  }

  @Override
  public void endOfBatch() {
    dispatch.outbox().flush();
  }
}
