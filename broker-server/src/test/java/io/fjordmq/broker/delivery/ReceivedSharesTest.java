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
import io.fjordmq.inbox.PublishId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: a message from another node reaches the chosen member by its current subscription. */
class ReceivedSharesTest {
  private static final String SHARED = "$share/s/a";

  private final DeliveryWorld world = new DeliveryWorld();
  private final ItemReceiver received = world.delivery.receivedItems();
  private final FakeSession member = world.connect("member", world.loop);

  /** The sender uses a route with QoS 2 and identifier 4. */
  private List<Boolean> deliver(Message message, Qos qos) {
    return deliver(
        new NodeItem.Shared(
            FakeSession.TENANT, "s", "a", "member", qos, false, List.of(4), message, null, false));
  }

  private List<Boolean> deliver(String to, Message message, PublishId id) {
    return deliver(
        new NodeItem.Shared(
            FakeSession.TENANT, "s", "a", to, EXACTLY_ONCE, false, List.of(4), message, id, false));
  }

  private List<Boolean> deliver(NodeItem.Shared item) {
    return outcomes(item).stream().map(outcome -> outcome == ItemOutcome.ACCEPTED).toList();
  }

  private List<ItemOutcome> outcomes(NodeItem.Shared item) {
    List<ItemOutcome> outcomes = new ArrayList<>();
    received.onItem(item, outcomes::add);
    received.onBatchComplete();
    world.loop.runAll();
    return outcomes;
  }

  @Test
  void shouldUseTheCurrentSubscriptionInsteadOfTheRouteOfTheSender() {
    world.subscribe(
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
    world.subscribe(member, SHARED, EXACTLY_ONCE);
    deliver(message("a", AT_MOST_ONCE, "m"), AT_MOST_ONCE);
    assertThat(member.deliveries)
        .singleElement()
        .satisfies(delivery -> assertThat(delivery.qos()).isEqualTo(AT_MOST_ONCE));
  }

  @Test
  void shouldRejectAMessageForAClientThatIsNoLongerAMember() {
    world.subscribe(member, SHARED, EXACTLY_ONCE);
    world.local.unsubscribe(member, TopicFilter.parse(SHARED)).join();
    assertThat(deliver(message("a", EXACTLY_ONCE, "m"), EXACTLY_ONCE)).containsExactly(false);
    assertThat(member.deliveries).isEmpty();
  }

  @Test
  void shouldRejectMessagesAboveQos0ForAPersistentSession() {
    FakeSession persistent = world.connectPersistent("member", world.loop);
    world.subscribe(persistent, SHARED, EXACTLY_ONCE);
    assertThat(deliver(message("a", EXACTLY_ONCE, "m"), EXACTLY_ONCE)).containsExactly(false);
    assertThat(deliver(message("a", EXACTLY_ONCE, "m"), AT_MOST_ONCE)).containsExactly(true);
    assertThat(persistent.deliveries)
        .singleElement()
        .satisfies(delivery -> assertThat(delivery.qos()).isEqualTo(AT_MOST_ONCE));
  }

  /** The sender tracks the members it tried; two nodes must not pass a message back and forth. */
  @Test
  void shouldRejectAMessageThatTheMemberMayNotRead() {
    world.subscribe(member, SHARED, EXACTLY_ONCE);
    world.subscribe(member, "b", EXACTLY_ONCE);
    FakeSession next = world.connect("next", world.loop);
    world.subscribe(next, SHARED, EXACTLY_ONCE);
    member.mayNotRead = true;
    assertThat(deliver(message("a", EXACTLY_ONCE, "m"), EXACTLY_ONCE)).containsExactly(false);
    assertThat(next.deliveries).isEmpty();
    member.mayNotRead = false;
    assertThat(deliver(message("a", EXACTLY_ONCE, "n"), EXACTLY_ONCE)).containsExactly(true);
    assertThat(member.texts()).containsExactly("n");
  }

  @Test
  void shouldAcceptARejectedMessageForTheNextMemberAndDeliverItOnce() {
    world.subscribe(member, SHARED, EXACTLY_ONCE);
    FakeSession next = world.connect("next", world.loop);
    world.subscribe(next, SHARED, EXACTLY_ONCE);
    member.closed = true;
    PublishId id = new PublishId(1, 1, 1);
    assertThat(deliver("member", message("a", EXACTLY_ONCE, "m"), id)).containsExactly(false);
    assertThat(deliver("next", message("a", EXACTLY_ONCE, "m"), id)).containsExactly(true);
    assertThat(deliver("next", message("a", EXACTLY_ONCE, "m"), id)).containsExactly(true);
    assertThat(next.texts()).containsExactly("m");
  }

  @Test
  void shouldRejectMessagesForWhichTheMemberHasNoRoom() {
    world.subscribe(member, SHARED, EXACTLY_ONCE);
    member.room = 1;
    for (ItemOutcome expected : List.of(ItemOutcome.ACCEPTED, ItemOutcome.NO_CAPACITY)) {
      NodeItem.Shared kept =
          new NodeItem.Shared(
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
      assertThat(outcomes(kept)).containsExactly(expected);
    }
    member.room = 2;
    assertThat(deliver("member", message("a", EXACTLY_ONCE, "m"), new PublishId(1, 2, 1)))
        .as("is not taken for a repetition")
        .containsExactly(true);
    assertThat(member.deliveries).hasSize(2);
  }

  /** After its lease the sender may have given the message to another member. */
  @Test
  void shouldRejectEverythingWithoutALease() {
    world.subscribe(member, SHARED, EXACTLY_ONCE);
    world.serving = false;
    assertThat(deliver(message("a", EXACTLY_ONCE, "m"), EXACTLY_ONCE)).containsExactly(false);
    assertThat(member.deliveries).isEmpty();
  }
}
