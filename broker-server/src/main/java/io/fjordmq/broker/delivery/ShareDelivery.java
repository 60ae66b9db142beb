package io.fjordmq.broker.delivery;

import io.fjordmq.broker.dispatch.CopyDropReason;
import io.fjordmq.broker.dispatch.Delivery;
import io.fjordmq.broker.dispatch.LiveDispatch;
import io.fjordmq.broker.dispatch.LocalSubscriber;
import io.fjordmq.broker.dispatch.Recipients;
import io.fjordmq.broker.nodes.ItemListener;
import io.fjordmq.broker.nodes.NodeItem;
import io.fjordmq.router.Route;
import org.jspecify.annotations.Nullable;

/**
 * Delivers a shared-subscription message to one member of the share, or to the next member if the
 * chosen one cannot accept it.
 */
final class ShareDelivery {

  /** Stores a single copy, separately from the other copies of the message. */
  interface InboxCopyStore {
    /**
     * Stores the copy of a message that has already been acknowledged to the publisher; if that
     * fails, counts the copy as dropped.
     */
    void storeAfterAcknowledgement(InboxCopy copy);

    /** Stores the copy, and then closes the part of {@code waiting} that the caller has opened. */
    void store(InboxCopy copy, PublishJoin waiting);
  }

  private final ShareSelection selection;
  private final LiveDispatch dispatch;
  private final DeliveryObserver observer;

  ShareDelivery(ShareSelection selection, LiveDispatch dispatch, DeliveryObserver observer) {
    this.selection = selection;
    this.dispatch = dispatch;
    this.observer = observer;
  }

  /**
   * Chooses a member. Sends the message to the member's connection, or returns the copy for the
   * member's inbox.
   *
   * @param lateStore stores the copy later if the chosen member turns out to be gone and the next
   *     one is an inbox
   * @return the copy to store if an inbox was chosen; null if there is nothing to store
   */
  @Nullable InboxCopy start(ShareAttempt attempt, InboxCopyStore lateStore) {
    return attempt.isRepeated() ? null : chooseAndSend(attempt, lateStore);
  }

  private @Nullable InboxCopy chooseAndSend(ShareAttempt attempt, InboxCopyStore lateStore) {
    ShareSelection.Choice choice = selection.choose(attempt);
    while (choice instanceof ShareSelection.Choice.Live live
        && attempt.isKept()
        && isFull(live.member())) { // the member would drop it
      if (!attempt.excludeFull(live.member().session().clientId())) {
        attempt.endWithoutMember();
        return null;
      }
      choice = selection.choose(attempt);
    }
    if (choice instanceof ShareSelection.Choice.Live live) {
      Recipients member =
          Recipients.ofShareMember(live.member(), createReceipt(attempt, live.route(), lateStore));
      attempt.recordLiveSend();
      dispatch
          .outbox()
          .send(
              Delivery.shared(attempt.message(), live.options(), attempt.key(), attempt.isKept()),
              member);
      return null;
    }
    if (choice instanceof ShareSelection.Choice.RemoteClient remoteClient) {
      sendElsewhere(attempt, remoteClient, lateStore);
      return null;
    }
    if (choice instanceof ShareSelection.Choice.Stored stored) {
      return InboxCopy.of(attempt, stored.inbox(), stored.route());
    }
    CopyDropReason reason = ((ShareSelection.Choice.NoReceiver) choice).reason();
    if (reason == CopyDropReason.NODE_CONGESTED) {
      attempt.recordCongestedMember();
    }
    if (!attempt.staysStored()) {
      observer.onDropped(reason.label(), 1);
    }
    attempt.endWithoutMember();
    return null;
  }

  private static boolean isFull(LocalSubscriber member) {
    return !member.session().inEventLoop() && member.mailbox().isFull();
  }

  private Recipients.Receipt createReceipt(
      ShareAttempt attempt, Route chosen, InboxCopyStore lateStore) {
    PublishJoin waiting = attempt.tryOpenPartForLocalMember();
    String member = ShareSelection.clientIdOf(chosen);
    return new Recipients.Receipt() {
      @Override
      public void onRefused() {
        if (waiting != null) {
          attempt.recordLiveRefusal();
        }
        tryNextAfterRefusal(attempt, member, lateStore, waiting);
      }

      @Override
      public void onFull() {
        attempt.recordLiveRefusal();
        tryNextAfterFull(attempt, member, lateStore, waiting);
      }

      @Override
      public void onSettled() {
        close(waiting, PublishOutcome.ACCEPTED);
      }
    };
  }

  /**
   * Sends the message to another node, which responds on behalf of the member. The acknowledgement
   * of a QoS 1 or 2 publish waits for that response.
   */
  private void sendElsewhere(
      ShareAttempt attempt, ShareSelection.Choice.RemoteClient chosen, InboxCopyStore lateStore) {
    PublishJoin waiting = attempt.tryOpenPart();
    byte[] item = toItem(attempt, chosen).encode();
    ItemListener listener =
        outcome -> {
          switch (outcome) {
            case ACCEPTED -> {
              attempt.recordLiveSend();
              close(waiting, PublishOutcome.ACCEPTED);
            }
            case OVERDUE, ABANDONED -> close(waiting, PublishOutcome.NOT_DURABLE);
            case NO_CAPACITY -> {
              tryNextAfterFull(attempt, chosen.clientId(), lateStore, waiting);
              dispatch.outbox().flush();
            }
            case REJECTED, INCARNATION_ENDED -> {
              tryNextAfterRefusal(attempt, chosen.clientId(), lateStore, waiting);
              dispatch.outbox().flush();
            }
          }
        };
    if (waiting == null) {
      chosen.stream().offer(item, listener);
    } else {
      chosen.stream().offerWithDeadline(item, listener);
    }
  }

  private void tryNextAfterRefusal(
      ShareAttempt attempt,
      String clientId,
      InboxCopyStore lateStore,
      @Nullable PublishJoin waiting) {
    attempt.exclude(clientId);
    tryNext(attempt, lateStore, waiting);
  }

  /** Sends a kept message to a member that is not full, or leaves it in its store. */
  private void tryNextAfterFull(
      ShareAttempt attempt,
      String clientId,
      InboxCopyStore lateStore,
      @Nullable PublishJoin waiting) {
    if (attempt.excludeFull(clientId)) {
      tryNext(attempt, lateStore, waiting);
    } else {
      attempt.endWithoutMember();
      close(waiting, PublishOutcome.ACCEPTED);
    }
  }

  private void tryNext(
      ShareAttempt attempt, InboxCopyStore lateStore, @Nullable PublishJoin waiting) {
    InboxCopy copy = chooseAndSend(attempt, lateStore);
    if (copy == null) {
      close(waiting, PublishOutcome.ACCEPTED);
    } else if (waiting == null) {
      lateStore.storeAfterAcknowledgement(copy);
    } else {
      lateStore.store(copy, waiting);
    }
  }

  private static void close(@Nullable PublishJoin waiting, PublishOutcome outcome) {
    if (waiting != null) {
      waiting.closePart(outcome);
    }
  }

  private static NodeItem.SharePublish toItem(
      ShareAttempt attempt, ShareSelection.Choice.RemoteClient chosen) {
    Delivery delivery =
        Delivery.shared(
            attempt.message(), chosen.route().options(), attempt.key(), attempt.isKept());
    return new NodeItem.SharePublish(
        attempt.key().tenant(),
        attempt.key().shareName(),
        attempt.key().pattern(),
        chosen.clientId(),
        delivery.qos(),
        delivery.retain(),
        delivery.subscriptionIdentifiers(),
        delivery.message(),
        attempt.id(),
        attempt.isKept());
  }
}
