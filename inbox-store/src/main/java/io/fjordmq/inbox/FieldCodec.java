package io.fjordmq.inbox;

import io.fjordmq.api.TopicFilter;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import java.util.ArrayList;
import java.util.List;

/** Encodes the fields that commands, queries and responses share. */
final class FieldCodec {
  /*
   *   id       s tenant | s client id
   *   handle   id | 8 incarnation | v epoch
   *   owner    s node | 8 incarnation
   *   numbers  v count | v each
   */
  private FieldCodec() {}

  static void writeId(ByteWriter out, InboxId id) {
    out.writeString(id.tenant()).writeString(id.clientId());
  }

  static InboxId readId(ByteReader in) {
    return new InboxId(in.readString(), in.readString());
  }

  static void writeHandle(ByteWriter out, InboxHandle handle) {
    writeId(out, handle.id());
    out.writeLong(handle.incarnation()).writeVarint(handle.epoch());
  }

  static InboxHandle readHandle(ByteReader in) {
    return new InboxHandle(readId(in), in.readLong(), in.readVarint());
  }

  static void writeOwner(ByteWriter out, Owner owner) {
    out.writeString(owner.node()).writeLong(owner.incarnation());
  }

  static Owner readOwner(ByteReader in) {
    return new Owner(in.readString(), in.readLong());
  }

  static void writeNumbers(ByteWriter out, List<Long> numbers) {
    out.writeVarint(numbers.size());
    for (long number : numbers) {
      out.writeVarint(number);
    }
  }

  static List<Long> readNumbers(ByteReader in) {
    int count = in.readCount(1);
    List<Long> numbers = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      numbers.add(in.readVarint());
    }
    return numbers;
  }

  static void writeSubscriptions(ByteWriter out, List<InboxSubscription> subscriptions) {
    out.writeVarint(subscriptions.size());
    for (InboxSubscription subscription : subscriptions) {
      out.writeString(subscription.filter().text())
          .writeBlock(SubscriptionRow.encode(subscription.options()));
    }
  }

  static List<InboxSubscription> readSubscriptions(ByteReader in) {
    int count = in.readCount(2);
    List<InboxSubscription> subscriptions = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      subscriptions.add(
          new InboxSubscription(
              TopicFilter.parse(in.readString()), SubscriptionRow.decode(in.readBlock())));
    }
    return subscriptions;
  }
}
