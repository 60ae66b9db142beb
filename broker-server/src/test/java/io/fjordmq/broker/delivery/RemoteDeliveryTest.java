package io.fjordmq.broker.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.nodes.ItemReceiver;
import io.fjordmq.broker.nodes.NodeItem;
import io.fjordmq.broker.nodes.NodeReceiver;
import io.fjordmq.broker.nodes.NodesObserver;
import io.fjordmq.broker.nodes.NodesSettings;
import io.fjordmq.broker.nodes.StreamLifecycle;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.TestMembership;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.common.ManualTimers;
import io.fjordmq.router.MatchedRoutes;
import io.fjordmq.router.MatchedRoutes.ShareMatch;
import io.fjordmq.router.Receiver;
import io.fjordmq.router.Route;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The outcome a publisher receives when another node should receive its message. */
class RemoteDeliveryTest {
  private static final NodeId SELF = new NodeId(DeliveryFixture.SELF.id());
  private static final NodeId OTHER = new NodeId("n2");

  private final DeliveryFixture fixture = new DeliveryFixture();
  private final LoopbackPeers peers = LoopbackPeers.immediate();
  private final TestMembership members = new TestMembership(SELF);
  private final ManualTimers timers = new ManualTimers();

  private void startOtherNode(boolean accepted) {
    ItemReceiver receiver =
        new ItemReceiver() {
          @Override
          public void onItem(NodeId from, NodeItem item, Responder responder) {
            responder.respondAccepted(accepted);
          }

          @Override
          public void onBatchComplete() {}
        };
    new NodeReceiver(new TestMembership(OTHER), receiver, NodesObserver.NONE)
        .start(peers.start(OTHER));
    members.setUp(OTHER, 1);
    members.watch(
        new StreamLifecycle(
            SELF,
            fixture.streams,
            peers.start(SELF),
            timers,
            NodesSettings.DEFAULTS,
            NodesObserver.NONE));
    Route route =
        new Route(
            FakeSession.TENANT,
            TopicFilter.parse("a"),
            new Receiver.Live(OTHER.value(), 1, ""),
            SubscriptionOptions.ofQos(Qos.EXACTLY_ONCE));
    fixture.router.add(route);
  }

  private void publish() {
    Message message =
        new Message(
            new Topic("a"),
            new byte[1],
            Qos.AT_LEAST_ONCE,
            false,
            MessageProperties.NONE,
            "p",
            0,
            Message.NEVER);
    fixture.publish(message);
  }

  @Test
  void shouldAcknowledgeAMessageThatTheOtherNodeAccepted() {
    startOtherNode(true);
    publish();
    assertThat(fixture.lastOutcome()).isEqualTo(PublishOutcome.ACCEPTED);
  }

  @Test
  void shouldNotExamineShareMembersWhileNoNodeIsCongested() {
    startOtherNode(true);
    Route member =
        new Route(
            FakeSession.TENANT,
            TopicFilter.parse("$share/s/a"),
            new Receiver.Live(OTHER.value(), 1, "m"),
            SubscriptionOptions.ofQos(Qos.AT_LEAST_ONCE));
    CountingRoutes members = new CountingRoutes(Collections.nCopies(1_000, member));
    MatchedRoutes routes =
        new MatchedRoutes(List.of(), List.of(), List.of(new ShareMatch("s", "a", members)));
    members.reads = 0;
    RemoteDelivery others =
        new RemoteDelivery(DeliveryFixture.SELF, fixture.streams, fixture.observer);
    assertThat(others.hasFullStream(routes, Qos.AT_LEAST_ONCE)).isFalse();
    assertThat(members.reads).isZero();
  }

  /** Without an outcome, the publisher would wait forever instead of repeating the message. */
  @Test
  void shouldNotAcknowledgeAMessageWithoutATimelyResponseOfTheOtherNode() {
    startOtherNode(true);
    peers.isolate(OTHER);
    publish();
    timers.advance(NodesSettings.DEFAULTS.publishTimeout().minusMillis(1));
    assertThat(fixture.outcomes).isEmpty();
    timers.advance(Duration.ofMillis(1));
    assertThat(fixture.lastOutcome()).isEqualTo(PublishOutcome.NOT_DURABLE);
  }

  @Test
  void shouldNotAcknowledgeAMessageThatTheOtherNodeRejected() {
    startOtherNode(false);
    publish();
    assertThat(fixture.lastOutcome()).isEqualTo(PublishOutcome.NOT_DURABLE);
  }
}
