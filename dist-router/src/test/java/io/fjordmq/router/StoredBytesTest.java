package io.fjordmq.router;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Qos;
import io.fjordmq.api.RetainHandling;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The bytes that are stored and sent never change for a version. */
class StoredBytesTest {
  @Test
  void shouldKeepTheStoredFormats() {
    HexFormat hex = HexFormat.of();
    Route inbox =
        new Route(
            "t",
            TopicFilter.parse("$share/s/a"),
            new Receiver.Inbox("c", 2),
            new SubscriptionOptions(Qos.EXACTLY_ONCE, true, true, RetainHandling.SEND_NEVER, 300));
    byte[] key = RouteKeys.of(inbox);
    byte[] value = RouteRow.encode(inbox.options());
    assertThat(hex.formatHex(key))
        .isEqualTo("a68d01740a2473686172652f732f610101630000000000000002");
    assertThat(hex.formatHex(value)).isEqualTo("012eac02");
    assertThat(RouteRow.decode(key, value)).isEqualTo(inbox);
    Route live =
        new Route(
            "t",
            TopicFilter.parse("a"),
            new Receiver.Live("n", 3, ""),
            SubscriptionOptions.ofQos(Qos.EXACTLY_ONCE));
    assertThat(hex.formatHex(RouteKeys.of(live))).isEqualTo("34c30174016100016e000000000000000300");
    assertThat(hex.formatHex(new AddRoute(new byte[] {7}, new byte[] {8}).encode()))
        .isEqualTo("0101010708");
    assertThat(hex.formatHex(new RemoveRoute(new byte[] {7}).encode())).isEqualTo("01020107");
    byte[] from = {7, 8};
    assertThat(hex.formatHex(new RemoveStaleRoutes("n", 3, 5, from).encode()))
        .isEqualTo("0103016e0000000000000003050708");
    assertThat(hex.formatHex(new StaleRoutesRemoved(300, from).encode())).isEqualTo("0101ac020708");
    assertThat(hex.formatHex(new StaleRoutesRemoved(0, null).encode())).isEqualTo("010000");
  }
}
