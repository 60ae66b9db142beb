package io.fjordmq.inbox;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.RetainHandling;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.Topic;
import java.util.HexFormat;

/** Values with known bytes, for the tests of stored formats. */
final class Samples {
  static final InboxId ID = new InboxId("t", "c1");
  static final InboxHandle HANDLE = new InboxHandle(ID, 0x1122334455667788L, 300);
  static final Owner OWNER = new Owner("n1", 5);
  static final InboxLimits LIMITS = new InboxLimits(10, 1000, InboxLimits.WhenFull.REFUSE);
  static final SubscriptionOptions OPTIONS =
      new SubscriptionOptions(Qos.EXACTLY_ONCE, true, false, RetainHandling.SEND_NEVER, 300);
  static final Message MESSAGE =
      new Message(
          new Topic("a"),
          new byte[] {9},
          Qos.AT_LEAST_ONCE,
          false,
          MessageProperties.NONE,
          "",
          1,
          Message.NEVER);

  /** {@link #MESSAGE}, encoded. */
  static final String MESSAGE_HEX = "01010101610001" + "09";

  private Samples() {}

  static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
