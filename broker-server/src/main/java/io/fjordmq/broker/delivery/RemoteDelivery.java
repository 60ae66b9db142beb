package io.fjordmq.broker.delivery;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.broker.dispatch.CopyDropReason;
import io.fjordmq.broker.dispatch.LocalNode;
import io.fjordmq.broker.nodes.ItemListener;
import io.fjordmq.broker.nodes.ItemOutcome;
import io.fjordmq.broker.nodes.NodeItem;
import io.fjordmq.broker.nodes.NodeStream;
import io.fjordmq.broker.nodes.NodeStreams;
import io.fjordmq.broker.nodes.NodesStatus;
import io.fjordmq.inbox.PublishId;
import io.fjordmq.router.MatchedRoutes;
import io.fjordmq.router.MatchedRoutes.ShareMatch;
import io.fjordmq.router.Receiver;
import io.fjordmq.router.Route;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages to other nodes whose clients have live subscriptions. Each node is sent one item,
 * regardless of the number of clients. Routes of past incarnations are ignored. Thread-safe.
 */
final class RemoteDelivery {
  private final LocalNode self;
  private final NodeStreams streams;
  private final DeliveryObserver observer;

  RemoteDelivery(LocalNode self, NodeStreams streams, DeliveryObserver observer) {
    this.self = self;
    this.streams = streams;
    this.observer = observer;
  }

  /** Whether a message of this QoS goes to any other node. */
  boolean hasReceivers(MatchedRoutes routes, Qos qos) {
    List<Receiver.Live> nodes = routes.nodes();
    for (int i = 0; i < nodes.size(); i++) {
      if (self.isOtherNode(nodes.get(i)) && routes.shouldForward(nodes.get(i), qos)) {
        return true;
      }
    }
    return false;
  }

  /** Whether any stream to a node that may receive a message of this QoS is full. */
  boolean hasFullStream(MatchedRoutes routes, Qos qos) {
    if (!isAnyFull()) {
      return false; // the common case, checked first because shares may have thousands of members
    }
    for (Receiver.Live node : routes.nodes()) {
      if (routes.shouldForward(node, qos) && isFull(node)) {
        return true;
      }
    }
    for (ShareMatch share : routes.shares()) {
      for (Route member : share.members()) {
        if (member.receiver() instanceof Receiver.Live live && isFull(live)) {
          return true;
        }
      }
    }
    return false;
  }

  private boolean isAnyFull() {
    for (NodeStream stream : streams.all()) {
      if (stream.isFull()) {
        return true;
      }
    }
    return false;
  }

  private boolean isFull(Receiver.Live receiver) {
    NodeStream stream = find(receiver);
    return stream != null && stream.isFull();
  }

  /** The stream to an incarnation of another node; null for this node or a past incarnation. */
  @Nullable NodeStream find(Receiver.Live receiver) {
    return self.isOtherNode(receiver)
        ? streams.find(receiver.node(), receiver.incarnation())
        : null;
  }

  /**
   * Sends the message to the other nodes that have matching routes. Duplicates are sent too; the
   * receiving nodes detect them.
   *
   * @param id the id of the publish; non-null if the publisher may resend the message
   */
  void send(
      String tenant,
      Message message,
      MatchedRoutes routes,
      @Nullable PublishId id,
      PublishJoin join) {
    byte[] item = null;
    for (Receiver.Live node : routes.nodes()) {
      NodeStream stream = routes.shouldForward(node, message.qos()) ? find(node) : null;
      if (stream == null) {
        continue;
      }
      if (item == null) {
        item = new NodeItem.Publish(tenant, message, id).encode();
      }
      if (message.qos() == Qos.AT_MOST_ONCE) {
        sendAtMostOnce(stream, item, join);
      } else {
        join.openPart();
        stream.offerWithDeadline(item, outcome -> join.closePart(liveOutcome(outcome)));
      }
    }
  }

  /**
   * Sends a QoS 0 message. While the stream is congested, the publish remains open, so that a
   * publisher that sends too fast is throttled.
   */
  private void sendAtMostOnce(NodeStream stream, byte[] item, PublishJoin join) {
    if (stream.isFull()) {
      observer.onDropped(CopyDropReason.NODE_CONGESTED.label(), 1);
      return;
    }
    stream.offer(item, ItemListener.NONE);
    if (stream.isCongested()) {
      join.openPart();
      observer.onAcknowledgementDelayed();
      stream.whenDrained(() -> join.closePart(PublishOutcome.ACCEPTED));
    }
  }

  /**
   * Maps the outcome of an item to the outcome of the publish. An incarnation that has ended has no
   * live receivers, so nothing is lost. A node that could not decode the message has not delivered
   * it. A node that does not respond may still receive the message later; the publisher resends it,
   * and the node detects the duplicate.
   */
  private static PublishOutcome liveOutcome(ItemOutcome outcome) {
    return switch (outcome) {
      case ACCEPTED, INCARNATION_ENDED -> PublishOutcome.ACCEPTED;
      case REJECTED, NO_CAPACITY, OVERDUE, ABANDONED -> PublishOutcome.NOT_DURABLE;
    };
  }

  NodesStatus status() {
    return streams.status();
  }
}
