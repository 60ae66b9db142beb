package io.fjordmq.broker.delivery;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.broker.dispatch.Delivery;
import io.fjordmq.broker.dispatch.LiveDispatch;
import io.fjordmq.broker.dispatch.LocalSubscriber;
import io.fjordmq.broker.dispatch.LocalSubscriptions;
import io.fjordmq.broker.dispatch.Mailbox;
import io.fjordmq.broker.dispatch.Outbox;
import io.fjordmq.broker.dispatch.Recipients;
import io.fjordmq.broker.dispatch.RepeatedPublishes.LiveDeliveryState;
import io.fjordmq.broker.dispatch.ShareKey;
import io.fjordmq.broker.nodes.ItemOutcome;
import io.fjordmq.broker.nodes.ItemReceiver;
import io.fjordmq.broker.nodes.NodeItem;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.inbox.InboxSpan;
import io.fjordmq.inbox.PublishId;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Delivers items received from other nodes to the clients of this node. Items from one node keep
 * their order. The items of a batch are handed to the event loops at the end of the batch.
 */
final class ReceivedItems implements ItemReceiver {
  private final LocalSubscriptions local;
  private final LiveDispatch dispatch;
  private final SessionRegistry registry;
  private final InboxEvents inboxes;
  private final RetainedBarrier retainedBarrier;
  private final BooleanSupplier isServing;

  /**
   * @param isServing whether no other node can consider this node's incarnation ended
   */
  ReceivedItems(
      LocalSubscriptions local,
      LiveDispatch dispatch,
      SessionRegistry registry,
      InboxEvents inboxes,
      RetainedBarrier retainedBarrier,
      BooleanSupplier isServing) {
    this.local = local;
    this.dispatch = dispatch;
    this.registry = registry;
    this.inboxes = inboxes;
    this.retainedBarrier = retainedBarrier;
    this.isServing = isServing;
  }

  @Override
  public void onItem(NodeId from, NodeItem item, Responder responder) {
    if (item instanceof NodeItem.Publish publish) {
      if (publish.message().retain()) {
        retainedBarrier.onReported(from); // before the message is matched
      }
      onItem(publish, responder);
    } else if (item instanceof NodeItem.SharePublish shared) {
      onItem(shared, responder);
    } else {
      handleNotice(item);
      responder.respondAccepted(true);
    }
  }

  /**
   * Delivers a published message. Delays the response while a mailbox is congested, so that
   * publishers on the other node wait.
   */
  private void onItem(NodeItem.Publish publish, Responder responder) {
    PublishId id = publish.id();
    if (id != null && !dispatch.repeatedPublishes().stateOf(id).markSent()) {
      responder.respondAccepted(true); // a duplicate, already delivered
      return;
    }
    Outbox outbox = dispatch.outbox();
    local
        .match(publish.tenant(), publish.message(), outbox)
        .fanOut()
        .send(publish.message(), outbox);
    Mailbox congested = outbox.takeCongested();
    if (congested == null) {
      responder.respondAccepted(true);
    } else {
      congested.whenDrained(() -> responder.respondAccepted(true));
    }
  }

  /**
   * Responds once the member has accepted or refused the message. The sender chooses the next
   * member because only the sender knows which members have been tried.
   */
  private void onItem(NodeItem.SharePublish shared, Responder responder) {
    ShareKey key = new ShareKey(shared.tenant(), shared.shareName(), shared.pattern());
    LiveDeliveryState live =
        shared.id() == null ? null : dispatch.repeatedPublishes().stateOf(shared.id());
    if (live != null && live.wasSent(key)) {
      responder.respondAccepted(true); // a duplicate; a member already has it
      return;
    }
    LocalSubscriber member = local.find(shared.tenant(), shared.member());
    SubscriptionOptions options =
        member == null ? null : member.liveOptionsOf(key.filterText(), shared.qos());
    // If this node has lost its lease, the sender may have chosen another member in the meantime.
    if (member == null || options == null || !isServing.getAsBoolean()) {
      responder.respondAccepted(false);
      return;
    }
    if (live != null) {
      live.recordSent(key);
    }
    // Use the options of the current subscription. Those in the item come from the member's route,
    // which may belong to an earlier session.
    dispatch
        .outbox()
        .send(
            Delivery.shared(shared.message(), options, key, shared.kept()),
            Recipients.ofShareMember(member, new RemoteReceipt(key, live, responder)));
  }

  /**
   * Responds to the sender with the outcome of a shared-subscription message. If the member's event
   * loop has ended, no response is sent: this node's incarnation is about to end, which settles all
   * outstanding items.
   */
  private record RemoteReceipt(
      ShareKey share, @Nullable LiveDeliveryState live, Responder responder)
      implements Recipients.Receipt {
    @Override
    public void onRefused() {
      if (live != null) {
        live.withdraw(share); // otherwise trying another member of this node looks like a duplicate
      }
      responder.respondAccepted(false);
    }

    @Override
    public void onFull() {
      if (live != null) {
        live.withdraw(share);
      }
      responder.respond(ItemOutcome.NO_CAPACITY);
    }

    @Override
    public void onSettled() {
      responder.respondAccepted(true);
    }
  }

  private void handleNotice(NodeItem item) {
    if (item instanceof NodeItem.Appended appended) {
      inboxes.onLocalAppend(appended.handle(), appended.entries());
    } else if (item instanceof NodeItem.Refetch refetch) {
      inboxes.refetchLocal(refetch.inbox());
    } else if (item instanceof NodeItem.LeaderNotice led) {
      inboxes.refetchLocal(new InboxSpan(led.routing()));
    } else if (item instanceof NodeItem.FenceNotice fenced) {
      inboxes.onLocalFence(fenced.handle());
    } else if (item instanceof NodeItem.ConnectNotice connected) {
      registry.onConnectedElsewhere(
          connected.tenant(), connected.clientId(), connected.connectOrder());
    }
  }

  @Override
  public void onBatchComplete() {
    dispatch.outbox().flush();
  }
}
