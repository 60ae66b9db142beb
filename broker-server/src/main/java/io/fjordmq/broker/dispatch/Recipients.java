package io.fjordmq.broker.dispatch;

import io.fjordmq.api.Message;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Live sessions on one event loop that receive a message with the same options. Immutable. */
public final class Recipients {

  /** The publishers whose messages the sessions receive (No Local, MQTT 5.0 §3.8.3.1). */
  enum Publishers {
    ANY,
    OTHERS,
    THEMSELVES
  }

  /**
   * Receives the outcome of a message for the chosen share member. Exactly one method is called,
   * once.
   */
  public interface Receipt {
    /**
     * The session refused the message; another member may accept it. Called on the session's event
     * loop.
     */
    void onRefused();

    /**
     * The session has no capacity for a kept message. Called on the event loop of the session or of
     * the sender.
     */
    void onFull();

    /** The session accepted the message, or the message was dropped and counted on the way. */
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
   * @param members at least one session, all on the same event loop
   */
  static Recipients of(List<LocalSubscriber> members, Publishers publishers) {
    return new Recipients(members.toArray(LocalSubscriber[]::new), publishers, null);
  }

  /** Creates the recipient for the chosen member of a share. */
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

  /** Whether the calling thread is the event loop of the recipients. */
  boolean areLocal() {
    return members[0].session().inEventLoop();
  }

  @Nullable Receipt receipt() {
    return receipt;
  }

  /** Whether this member receives the message. */
  boolean shouldReceive(LocalSubscriber member, Message message) {
    return switch (publishers) {
      case ANY -> true;
      case OTHERS -> !member.session().clientId().equals(message.publisher());
      case THEMSELVES -> member.session().clientId().equals(message.publisher());
    };
  }
}
