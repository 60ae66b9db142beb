package io.fjordmq.broker.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.RetainHandling;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.dispatch.LiveSubscription;
import io.fjordmq.broker.query.ClientFilter.TimeSpan;
import io.fjordmq.broker.query.NodeCall.CountClients;
import io.fjordmq.broker.query.NodeCall.FindClient;
import io.fjordmq.broker.query.NodeCall.KickClient;
import io.fjordmq.broker.query.NodeCall.ListClients;
import io.fjordmq.broker.query.NodeClients.Clients;
import io.fjordmq.broker.query.NodeClients.Counts;
import io.fjordmq.broker.query.NodeClients.Found;
import io.fjordmq.broker.query.NodeSubscriptions.Subscriptions;
import io.fjordmq.broker.query.SubscriptionCall.ListSubscribers;
import io.fjordmq.broker.query.SubscriptionCall.ListTransient;
import io.fjordmq.broker.query.SubscriptionCall.OfClient;
import io.fjordmq.broker.query.SubscriptionCall.Subscribe;
import io.fjordmq.broker.query.SubscriptionCall.Unsubscribe;
import io.fjordmq.broker.session.ClientAttributes;
import io.fjordmq.broker.session.ClientQueue;
import io.fjordmq.broker.session.ClientState;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.SessionPosition;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The bytes between nodes. Changing one of these requires a new version or kind. */
class NodeCallTest {
  private static final SessionPosition POSITION = new SessionPosition(300, "t", "c");
  private static final LiveClient CLIENT =
      new LiveClient(
          new ClientAttributes(
              "t", "c", "u", "::1", 300, "tcp", true, 5, 60, true, 7, true, true, 300),
          new ClientState(1, 2, 3, 4, 5, 6, 7, 8, List.of("overload")));
  private static final LiveClient ANONYMOUS =
      new LiveClient(
          new ClientAttributes(
              "", "c", null, "", 0, "unix", false, 4, 0, false, 0, false, false, 1),
          new ClientState(0, 0, 0, 0, 0, 0, 0, 0, List.of()));
  private static final String CLIENT_HEX =
      "0174"
          + "0163"
          + "1f"
          + "0175"
          + "033a3a31"
          + "ac02"
          + "03746370"
          + "05"
          + "3c"
          + "07"
          + "ac02"
          + "0102030405060708"
          + "01"
          + "086f7665726c6f6164";
  private static final String ANONYMOUS_HEX =
      "00"
          + "0163"
          + "00"
          + "00"
          + "00"
          + "04756e6978"
          + "04"
          + "00"
          + "00"
          + "01"
          + "0000000000000000"
          + "00";

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  private static void assertCall(NodeCall call, String hex) {
    assertThat(hex(call.encode())).isEqualTo(hex);
    assertThat(NodeCall.decode(call.encode())).isEqualTo(call);
  }

  @Test
  void shouldNotChangeTheBytesOfCalls() {
    assertCall(
        new ListClients(POSITION, ClientFilter.ALL, 300),
        "01" + "01" + "ac020174" + "0163" + "00" + "00" + "00" + "00" + "ac02");
    ClientFilter filter =
        new ClientFilter(
            "t", null, "c", "u", "v", "::1", null, true, 5, new TimeSpan(1, 300), TimeSpan.ALWAYS);
    assertCall(
        new ListClients(POSITION, filter, 1),
        "01"
            + "01"
            + "ac020174"
            + "0163"
            + "7f"
            + "0174"
            + "0163"
            + "0175"
            + "0176"
            + "033a3a31"
            + "05"
            + "01"
            + "ad02"
            + "01");
    assertCall(new FindClient(null, "c"), "01" + "02" + "00" + "0163");
    assertCall(new FindClient("t", "c"), "01" + "02" + "010174" + "0163");
    assertCall(new KickClient(new InboxId("t", "c")), "01" + "03" + "0174" + "0163");
    assertCall(new CountClients(), "01" + "04");
  }

  @Test
  void shouldNotChangeTheBytesOfResponses() {
    Clients page = new Clients(List.of(CLIENT, ANONYMOUS), POSITION);
    byte[] list = ListClients.encodeResponse(page);
    assertThat(hex(list)).isEqualTo("01" + "ac020174" + "0163" + "02" + CLIENT_HEX + ANONYMOUS_HEX);
    assertThat(ListClients.decodeResponse(list)).isEqualTo(page);
    Found found = new Found(List.of(CLIENT), List.of("", "t"));
    byte[] find = FindClient.encodeResponse(found);
    assertThat(hex(find)).isEqualTo("01" + "01" + CLIENT_HEX + "02" + "00" + "0174");
    assertThat(FindClient.decodeResponse(find)).isEqualTo(found);
    assertThat(hex(KickClient.encodeResponse(true))).isEqualTo("0101");
    assertThat(KickClient.decodeResponse(new byte[] {1, 0})).isFalse();
    byte[] count = CountClients.encodeResponse(new Counts(300, 7));
    assertThat(hex(count)).isEqualTo("01" + "ac02" + "07");
    assertThat(CountClients.decodeResponse(count)).isEqualTo(new Counts(300, 7));
  }

  @Test
  void shouldNotChangeTheBytesOfCallsAboutSubscriptions() {
    InboxId id = new InboxId("t", "c");
    TopicFilter filter = TopicFilter.parse("a");
    SubscriptionOptions options =
        new SubscriptionOptions(Qos.EXACTLY_ONCE, true, false, RetainHandling.SEND_NEVER, 300);
    String subscription = "0161" + "26" + "ac02";
    SubscriptionPosition position = new SubscriptionPosition(POSITION, "a");
    assertCall(
        new ListTransient(position, null, 300),
        "01" + "05" + "ac020174" + "0163" + "0161" + "00" + "ac02");
    assertCall(
        new ListTransient(position, "t", 300),
        "01" + "05" + "ac020174" + "0163" + "0161" + "010174" + "ac02");
    assertCall(
        new ListSubscribers(position, null, filter, 300),
        "01" + "0a" + "ac020174" + "0163" + "0161" + "00" + "0161" + "ac02");
    assertCall(
        new ListSubscribers(position, "t", filter, 300),
        "01" + "0a" + "ac020174" + "0163" + "0161" + "010174" + "0161" + "ac02");
    assertCall(new OfClient(id), "01" + "06" + "0174" + "0163");
    assertCall(new Subscribe(id, filter, options), "01" + "07" + "0174" + "0163" + subscription);
    assertCall(new Unsubscribe(id, filter), "01" + "08" + "0174" + "0163" + "0161");
    LiveSubscription live = new LiveSubscription(filter, options);
    Subscriptions page = new Subscriptions(List.of(new Subscriptions.Entry(id, live)), position);
    byte[] list = ListTransient.encodeResponse(page);
    assertThat(hex(list))
        .isEqualTo("01" + "ac020174" + "0163" + "0161" + "01" + "0174" + "0163" + subscription);
    assertThat(ListTransient.decodeResponse(list)).isEqualTo(page);
    byte[] ofClient = OfClient.encodeResponse(Optional.of(List.of(live)));
    assertThat(hex(ofClient)).isEqualTo("01" + "01" + "01" + subscription);
    assertThat(OfClient.decodeResponse(ofClient)).contains(List.of(live));
    assertThat(OfClient.decodeResponse(OfClient.encodeResponse(Optional.empty()))).isEmpty();
    assertThat(hex(SubscriptionCall.encodeCode(0x11))).isEqualTo("0112");
    assertThat(SubscriptionCall.decodeCode(new byte[] {1, 0})).isEqualTo(-1);
  }

  @Test
  void shouldNotChangeTheBytesOfCallsAboutQueues() {
    assertCall(
        new PeekClient(new InboxId("t", "c"), new ClientQueue.Selection(300, 1, 2, 3, 4)),
        "01" + "09" + "0174" + "0163" + "ac02" + "01020304");
    Message message =
        new Message(
            new Topic("a"),
            new byte[] {9},
            Qos.AT_LEAST_ONCE,
            false,
            MessageProperties.NONE,
            "",
            1,
            Message.NEVER);
    ClientQueue queue =
        new ClientQueue(
            300,
            List.of(new ClientQueue.InFlight(7, 8, ClientQueue.Awaited.PUBCOMP)),
            List.of(new ClientQueue.Queued(message, Qos.AT_LEAST_ONCE, true, 300)));
    byte[] response = PeekClient.encodeResponse(Optional.of(queue));
    assertThat(hex(response))
        .isEqualTo(
            "01"
                + "01"
                + "ac02"
                + "01"
                + "070802"
                + "01"
                + "05"
                + "ac02"
                + "08"
                + "01010101610001"
                + "09");
    assertThat(PeekClient.decodeResponse(response))
        .get()
        .usingRecursiveComparison()
        .isEqualTo(queue);
    assertThat(PeekClient.decodeResponse(PeekClient.encodeResponse(Optional.empty()))).isEmpty();
  }

  @Test
  void shouldRejectNewerCalls() {
    assertThatThrownBy(() -> NodeCall.decode(new byte[] {2, 4}))
        .isInstanceOf(NewerFormatException.class);
    assertThatThrownBy(() -> NodeCall.decode(new byte[] {1, 99}))
        .isInstanceOf(NewerFormatException.class);
    assertThatThrownBy(() -> NodeCall.decode(new byte[] {1, 4, 0}))
        .isInstanceOf(MalformedBytesException.class);
  }
}
