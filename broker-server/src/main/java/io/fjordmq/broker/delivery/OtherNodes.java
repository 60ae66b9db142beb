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
 * Sends messages to other nodes whose clients have live subscriptions: one item per node,
 * regardless of the number of clients. Routes of past incarnations are ignored. Thread-safe.
 */
final class OtherNodes {
  private final LocalNode self;
  private final NodeStreams streams;
  private final DeliveryObserver observer;

  OtherNodes(LocalNode self, NodeStreams streams, DeliveryObserver observer) {
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

  /** Whether the stream to one of the nodes that may get a message of this QoS is full. */
  boolean hasFullStream(MatchedRoutes routes, Qos qos) {
    if (!isAnyFull()) {
      return false; // the usual case, checked first: shares may have thousands of members
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
   * Sends the message to the matching other nodes. Also sends duplicates, which they recognize.
   *
   * @param id set if the publisher may repeat the message
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

  /** QoS 0 has no acknowledgement to wait for, but a publisher that is too fast is throttled. */
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
   * An incarnation that is over has no live receivers, so the message is not needed there. A node
   * that could not decode the message has not delivered it. A node that does not respond may still
   * receive it: the publisher repeats the message, and the node recognizes the duplicate.
   */
  private static PublishOutcome liveOutcome(ItemOutcome outcome) {
    return switch (outcome) {
      case ACCEPTED, INCARNATION_OVER -> PublishOutcome.ACCEPTED;
      case REJECTED, NO_CAPACITY, OVERDUE, ABANDONED -> PublishOutcome.NOT_DURABLE;
    };
  }

  NodesStatus status() {
    return streams.status();
  }
}
