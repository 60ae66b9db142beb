package io.fjordmq.broker.delivery;

import io.fjordmq.api.Message;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Live sessions of one event loop that get a message in the same form. Immutable. */
final class Recipients {

  /** Whose messages they get (No Local, MQTT 5.0 §3.8.3.1). */
  enum Publishers {
    ANY,
    OTHERS,
    THEMSELVES
  }

  /** Told when a session could not take a message. */
  @FunctionalInterface
  interface Refusal {
    /** On the session's event loop. */
    void refused(Delivery delivery);
  }

  private final Subscriber[] members;
  private final Publishers publishers;
  private final @Nullable Refusal refusal;

  private Recipients(Subscriber[] members, Publishers publishers, @Nullable Refusal refusal) {
    this.members = members;
    this.publishers = publishers;
    this.refusal = refusal;
  }

  /**
   * @param members at least one, all of one event loop
   */
  static Recipients of(List<Subscriber> members, Publishers publishers) {
    return new Recipients(members.toArray(Subscriber[]::new), publishers, null);
  }

  /** The chosen member of a share. */
  static Recipients chosen(Subscriber member, Refusal refusal) {
    return new Recipients(new Subscriber[] {member}, Publishers.ANY, refusal);
  }

  int size() {
    return members.length;
  }

  Subscriber get(int index) {
    return members[index];
  }

  Mailbox mailbox() {
    return members[0].mailbox();
  }

  /** True if the caller is on their event loop. */
  boolean areHere() {
    return members[0].session().inEventLoop();
  }

  @Nullable Refusal refusal() {
    return refusal;
  }

  /** True if this member is to get the message. */
  boolean wants(Subscriber member, Message message) {
    return switch (publishers) {
      case ANY -> true;
      case OTHERS -> !member.session().clientId().equals(message.publisher());
      case THEMSELVES -> member.session().clientId().equals(message.publisher());
    };
  }
}
