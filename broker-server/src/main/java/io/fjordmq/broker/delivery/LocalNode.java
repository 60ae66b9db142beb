package io.fjordmq.broker.delivery;

import io.fjordmq.router.Receiver;

/**
 * This node as routes name it.
 *
 * @param id node id
 * @param incarnation of this process; higher than that of every earlier one
 */
public record LocalNode(String id, long incarnation) {

  /** True if the route leads to this process, not to an earlier one or to another node. */
  boolean is(Receiver.Live receiver) {
    return incarnation == receiver.incarnation() && id.equals(receiver.node());
  }

  /** This node's receiver: of ordinary subscriptions, or of a share's member. */
  Receiver.Live receiver(String member) {
    return new Receiver.Live(id, incarnation, member);
  }
}
