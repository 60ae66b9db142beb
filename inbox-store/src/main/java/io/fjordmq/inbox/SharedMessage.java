package io.fjordmq.inbox;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageCodec;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A message on its way to any number of inboxes: decoded at most once, and only on the leader, when
 * somebody is connected. Used by one thread.
 */
final class SharedMessage {
  private final byte[] bytes;
  private @Nullable Message message;

  SharedMessage(byte[] bytes) {
    this.bytes = bytes;
  }

  Message get() {
    if (message == null) {
      message = MessageCodec.decode(ByteBuffer.wrap(bytes));
    }
    return message;
  }
}
