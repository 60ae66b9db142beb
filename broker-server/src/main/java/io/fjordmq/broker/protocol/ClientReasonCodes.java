package io.fjordmq.broker.protocol;

/** The reason codes that a client may send. All others are reserved for servers or undefined. */
final class ClientReasonCodes {
  private static final int PUBACK = 4;
  private static final int PUBREC = 5;
  private static final int PUBREL = 6;
  private static final int PUBCOMP = 7;
  private static final int DISCONNECT = 14;
  private static final int AUTH = 15;

  /**
   * MQTT reserves this code for servers (MQTT 5.0 §3.4.2.1, §3.5.2.1). FjordMQ accepts it from
   * clients because it is a success code and unambiguous.
   */
  private static final int NO_MATCHING_SUBSCRIBERS = 0x10;

  private ClientReasonCodes() {}

  /**
   * Whether a client may send the code (MQTT 5.0 §3.4.2.1, §3.5.2.1, §3.6.2.1, §3.7.2.1, §3.14.2.1,
   * §3.15.2.1).
   *
   * @param type the packet type
   */
  static boolean isAllowed(int type, int code) {
    return switch (type) {
      case PUBACK, PUBREC ->
          switch (code) {
            case 0x00, NO_MATCHING_SUBSCRIBERS, 0x80, 0x83, 0x87, 0x90, 0x91, 0x97, 0x99 -> true;
            default -> false;
          };
      case PUBREL, PUBCOMP -> code == 0x00 || code == 0x92;
      case DISCONNECT ->
          switch (code) {
            case 0x00,
                0x04,
                0x80,
                0x81,
                0x82,
                0x83,
                0x90,
                0x93,
                0x94,
                0x95,
                0x96,
                0x97,
                0x98,
                0x99 ->
                true;
            default -> false;
          };
      case AUTH -> code == 0x18 || code == 0x19;
      default -> throw new IllegalArgumentException("packet type " + type + " has no reason code");
    };
  }
}
