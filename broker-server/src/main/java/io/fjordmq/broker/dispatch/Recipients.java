package io.fjordmq.broker.dispatch;

import io.fjordmq.api.Message;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Live sessions of one event loop that get a message with the same options. Immutable. */
public final class Recipients {

  /** Which publishers' messages they get (No Local, MQTT 5.0 §3.8.3.1). */
  enum Publishers {
    ANY,
    OTHERS,
    THEMSELVES
  }

  /** Receives the outcome of a message for the chosen share member, once. */
  public interface Receipt {
    /** The session did not take it; another member may. Called on the session's event loop. */
    void onRefused();

    /** The session has no capacity for a kept message. Called on its event loop or the sender's. */
    void onFull();

    /** The session has taken it, or it was dropped and counted on the way. */
    default void onSettled() {}
  }

  private final LocalSubscriber[] members;
  private final Publishers publishers;
  private final @Nullable Receipt receipt;

  private Recipients(LocalSubscriber[] members, Publishers publishers, @Nullable Receipt receipt) {
    this.members = members;
    this.publishers = publishers;
    this.receipt = receipt;
  }

  /**
   * @param members at least one, all on the same event loop
   */
  static Recipients of(List<LocalSubscriber> members, Publishers publishers) {
    return new Recipients(members.toArray(LocalSubscriber[]::new), publishers, null);
  }

  /** The chosen member of a share. */
  public static Recipients ofShareMember(LocalSubscriber member, Receipt receipt) {
    return new Recipients(new LocalSubscriber[] {member}, Publishers.ANY, receipt);
  }

  int size() {
    return members.length;
  }

  LocalSubscriber get(int index) {
    return members[index];
  }

  Mailbox mailbox() {
    return members[0].mailbox();
  }

  /** Whether the caller is on their event loop. */
  boolean areLocal() {
    return members[0].session().inEventLoop();
  }

  @Nullable Receipt receipt() {
    return receipt;
  }

  /** Whether this member gets the message. */
  boolean shouldReceive(LocalSubscriber member, Message message) {
    return switch (publishers) {
      case ANY -> true;
      case OTHERS -> !member.session().clientId().equals(message.publisher());
      case THEMSELVES -> member.session().clientId().equals(message.publisher());
    };
  }
}
