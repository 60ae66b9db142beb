package io.fjordmq.broker.simulation;

import io.fjordmq.testing.Simulation;
import org.jspecify.annotations.Nullable;

/** The will of one connection and its expected fate (MQTT 5.0 §3.1.2.5, §3.1.3.2.2). */
final class ModelWill {
  /** The expected fate of a will. */
  enum Fate {
    PUBLISHED,
    NOT_PUBLISHED,
    /** Only the broker can know. */
    EITHER
  }

  private static final int MAX_DELAY_SECONDS = 4;

  private final Publication message;
  private final ClientPackets.WillText text;
  private final boolean persistent;
  private final long delaySeconds;
  private @Nullable Moment accepted;
  private @Nullable Moment ended;
  private @Nullable Moment disconnectProcessed;
  private @Nullable Moment nextAccepted;
  private boolean disconnectSent;
  private boolean sessionWentOn;
  private boolean mayBeOvertaken;
  private boolean mayBeExcused;
  // Connections that may have resumed the session without the client's knowing it.
  private int unansweredAttempts;

  /**
   * @param expirySeconds of the session; 0 if it ends with the connection
   */
  ModelWill(Publication message, int delaySeconds, long expirySeconds) {
    this.message = message;
    this.text =
        new ClientPackets.WillText(message.topic(), message.payload(), message.qos(), delaySeconds);
    this.persistent = expirySeconds > 0;
    this.delaySeconds = Math.min(delaySeconds, expirySeconds);
  }

  /** A will of a connection with this name. */
  static ModelWill draw(
      Simulation simulation, ClientProfile client, String connection, long expirySeconds) {
    int delay =
        client.level() == 4 || simulation.chance(30)
            ? 0
            : (int) simulation.between(1, MAX_DELAY_SECONDS);
    int qos = (int) simulation.between(1, 2);
    Publication message = Publication.will(connection, "w/" + client.clientId(), qos);
    return new ModelWill(message, delay, expirySeconds);
  }

  Publication message() {
    return message;
  }

  ClientPackets.WillText text() {
    return text;
  }

  /** The client received the CONNACK. */
  void onAccepted(Moment now) {
    accepted = now;
  }

  /**
   * An earlier CONNECT, which the client gave up at another node, may be carried out after this
   * one: no node can know that it is the older one. It takes over this connection or resumes its
   * session, and so cancels this will.
   */
  void markMayBeOvertaken() {
    mayBeOvertaken = true;
  }

  /**
   * The client is connected again before its node, which went meanwhile or did not serve, could
   * know that its connection had ended.
   */
  void markMayBeExcused() {
    mayBeExcused = true;
  }

  /** The client sends a DISCONNECT. */
  void onDisconnectSent() {
    disconnectSent = true;
  }

  /** The broker reports that the connection ended with the client's DISCONNECT. */
  void onDisconnectProcessed(Moment now) {
    disconnectProcessed = now;
  }

  /** The client or the broker closes the connection; the first of the two counts. */
  void onConnectionEnded(Moment now) {
    if (ended == null) {
      ended = now;
    }
  }

  /** The client attempts to connect again. */
  void onNextConnectAttempt(boolean clean) {
    unansweredAttempts += clean ? 0 : 1;
  }

  /** The client is connected again. */
  void onNextAccepted(Moment now, boolean clean, boolean sessionPresent) {
    nextAccepted = now;
    sessionWentOn = sessionPresent;
    unansweredAttempts -= clean ? 0 : 1;
  }

  /**
   * The expected fate of the will at the end of the run.
   *
   * @param patient whether the broker never times out a call to its stores
   */
  Fate fate(Moment now, boolean patient) {
    if (accepted == null) {
      return Fate.EITHER;
    }
    if (disconnectProcessed != null) {
      // If the broker crashes before the store knows of the DISCONNECT, the will is published.
      Moment known = nextAccepted == null ? now : nextAccepted;
      boolean storeInformed = patient && known.incarnation() == disconnectProcessed.incarnation();
      return storeInformed ? Fate.NOT_PUBLISHED : Fate.EITHER;
    }
    if (ended == null) {
      return Fate.NOT_PUBLISHED;
    }
    if (disconnectSent) {
      return Fate.EITHER;
    }
    if (mayBeExcused && (delaySeconds == 0 || !persistent)) {
      return Fate.EITHER;
    }
    // A transient session ends with its connection, whatever the delay; its will is stored like
    // others.
    return persistent ? fateOfStored(ended) : Fate.PUBLISHED;
  }

  private Fate fateOfStored(Moment end) {
    if (delaySeconds == 0) {
      return Fate.PUBLISHED;
    }
    if (nextAccepted != null && sessionWentOn) {
      return nextAccepted.isWithin(delaySeconds, end) ? Fate.NOT_PUBLISHED : Fate.EITHER;
    }
    return mayBeOvertaken || unansweredAttempts > 0 ? Fate.EITHER : Fate.PUBLISHED;
  }

  @Override
  public String toString() {
    return "will "
        + message
        + (persistent ? " after " + delaySeconds + " s" : " of a transient session")
        + (ended == null ? "" : ", connection ended at " + ended.millis());
  }
}
