package io.fjordmq.broker.delivery;

import static io.fjordmq.api.Qos.AT_LEAST_ONCE;
import static io.fjordmq.api.Qos.AT_MOST_ONCE;
import static io.fjordmq.api.Qos.EXACTLY_ONCE;
import static io.fjordmq.broker.delivery.Messages.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.api.RetainHandling;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.nodes.ItemOutcome;
import io.fjordmq.broker.nodes.ItemReceiver;
import io.fjordmq.broker.nodes.NodeItem;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.inbox.PublishId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: a message from another node is delivered with the member's current subscription. */
class ReceivedSharesTest {
  private static final String SHARED = "$share/s/a";

  private final DeliveryFixture fixture = new DeliveryFixture();
  private final ItemReceiver receiver = fixture.delivery.receivedItems();
  private final FakeSession member = fixture.connect("member", fixture.loop);

  /** The sender uses a route with QoS 2 and identifier 4. */
  private List<Boolean> deliver(Message message, Qos qos) {
    return deliver(
        new NodeItem.SharePublish(
            FakeSession.TENANT, "s", "a", "member", qos, false, List.of(4), message, null, false));
  }

  private List<Boolean> deliver(String to, Message message, PublishId id) {
    return deliver(
        new NodeItem.SharePublish(
            FakeSession.TENANT, "s", "a", to, EXACTLY_ONCE, false, List.of(4), message, id, false));
  }

  private List<Boolean> deliver(NodeItem.SharePublish item) {
    return receive(item).stream().map(outcome -> outcome == ItemOutcome.ACCEPTED).toList();
  }

  private List<ItemOutcome> receive(NodeItem.SharePublish item) {
    List<ItemOutcome> outcomes = new ArrayList<>();
    receiver.onItem(new NodeId("n2"), item, outcomes::add);
    receiver.onBatchComplete();
    fixture.loop.runAll();
    return outcomes;
  }

  @Test
  void shouldUseTheCurrentSubscriptionInsteadOfTheRouteOfTheSender() {
    fixture.subscribe(
        member,
        SHARED,
        new SubscriptionOptions(AT_LEAST_ONCE, false, true, RetainHandling.SEND_ALWAYS, 9));

    List<Boolean> answers = deliver(Messages.retained("a", EXACTLY_ONCE, "m"), EXACTLY_ONCE);

    assertThat(answers).containsExactly(true);
    assertThat(member.deliveries)
        .singleElement()
        .satisfies(
            delivery -> {
              assertThat(delivery.qos()).isEqualTo(AT_LEAST_ONCE);
              assertThat(delivery.retain()).isTrue();
              assertThat(delivery.subscriptionIdentifiers()).containsExactly(9);
              assertThat(delivery.isShared()).isTrue();
            });
  }

  @Test
  void shouldNotRaiseTheQosOfTheMessage() {
    fixture.subscribe(member, SHARED, EXACTLY_ONCE);
    deliver(message("a", AT_MOST_ONCE, "m"), AT_MOST_ONCE);
    assertThat(member.deliveries)
        .singleElement()
        .satisfies(delivery -> assertThat(delivery.qos()).isEqualTo(AT_MOST_ONCE));
  }

  @Test
  void shouldRejectAMessageForAClientThatIsNoLongerAMember() {
    fixture.subscribe(member, SHARED, EXACTLY_ONCE);
    fixture.local.unsubscribe(member, TopicFilter.parse(SHARED)).join();
    assertThat(deliver(message("a", EXACTLY_ONCE, "m"), EXACTLY_ONCE)).containsExactly(false);
    assertThat(member.deliveries).isEmpty();
  }

  @Test
  void shouldRejectMessagesAboveQos0ForAPersistentSession() {
    FakeSession persistent = fixture.connectPersistent("member", fixture.loop);
    fixture.subscribe(persistent, SHARED, EXACTLY_ONCE);
    assertThat(deliver(message("a", EXACTLY_ONCE, "m"), EXACTLY_ONCE)).containsExactly(false);
    assertThat(deliver(message("a", EXACTLY_ONCE, "m"), AT_MOST_ONCE)).containsExactly(true);
    assertThat(persistent.deliveries)
        .singleElement()
        .satisfies(delivery -> assertThat(delivery.qos()).isEqualTo(AT_MOST_ONCE));
  }

  /** The sender tracks the members it tried; two nodes must not pass a message back and forth. */
  @Test
  void shouldRejectAMessageThatTheMemberMayNotRead() {
    fixture.subscribe(member, SHARED, EXACTLY_ONCE);
    fixture.subscribe(member, "b", EXACTLY_ONCE);
    FakeSession next = fixture.connect("next", fixture.loop);
    fixture.subscribe(next, SHARED, EXACTLY_ONCE);
    member.mayNotRead = true;
    assertThat(deliver(message("a", EXACTLY_ONCE, "m"), EXACTLY_ONCE)).containsExactly(false);
    assertThat(next.deliveries).isEmpty();
    member.mayNotRead = false;
    assertThat(deliver(message("a", EXACTLY_ONCE, "n"), EXACTLY_ONCE)).containsExactly(true);
    assertThat(member.texts()).containsExactly("n");
  }

  @Test
  void shouldAcceptARejectedMessageForTheNextMemberAndDeliverItOnce() {
    fixture.subscribe(member, SHARED, EXACTLY_ONCE);
    FakeSession next = fixture.connect("next", fixture.loop);
    fixture.subscribe(next, SHARED, EXACTLY_ONCE);
    member.closed = true;
    PublishId id = new PublishId(1, 1, 1);
    assertThat(deliver("member", message("a", EXACTLY_ONCE, "m"), id)).containsExactly(false);
    assertThat(deliver("next", message("a", EXACTLY_ONCE, "m"), id)).containsExactly(true);
    assertThat(deliver("next", message("a", EXACTLY_ONCE, "m"), id)).containsExactly(true);
    assertThat(next.texts()).containsExactly("m");
  }

  @Test
  void shouldRejectMessagesForWhichTheMemberHasNoRoom() {
    fixture.subscribe(member, SHARED, EXACTLY_ONCE);
    member.capacity = 1;
    for (ItemOutcome expected : List.of(ItemOutcome.ACCEPTED, ItemOutcome.NO_CAPACITY)) {
      NodeItem.SharePublish kept =
          new NodeItem.SharePublish(
              FakeSession.TENANT,
              "s",
              "a",
              "member",
              EXACTLY_ONCE,
              false,
              List.of(),
              message("a", EXACTLY_ONCE, "m"),
              new PublishId(1, member.deliveries.size() + 1, 1),
              true);
      assertThat(receive(kept)).containsExactly(expected);
    }
    member.capacity = 2;
    assertThat(deliver("member", message("a", EXACTLY_ONCE, "m"), new PublishId(1, 2, 1)))
        .as("is not treated as a repetition")
        .containsExactly(true);
    assertThat(member.deliveries).hasSize(2);
  }

  /** Once this node's lease has expired, the sender may have chosen another member. */
  @Test
  void shouldRejectEverythingWithoutALease() {
    fixture.subscribe(member, SHARED, EXACTLY_ONCE);
    fixture.serving = false;
    assertThat(deliver(message("a", EXACTLY_ONCE, "m"), EXACTLY_ONCE)).containsExactly(false);
    assertThat(member.deliveries).isEmpty();
  }
}
