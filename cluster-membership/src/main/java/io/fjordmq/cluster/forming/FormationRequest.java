package io.fjordmq.cluster.forming;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;

/**
 * A request of one waiting node to another, which responds with its own {@link WaitingNode}. The
 * response to a proposal contains the promise if it was made.
 *
 * <pre>
 * u8 kind = 1 | sender                 introduction
 * u8 kind = 2 | sender                 proposal with the number of the sender
 * </pre>
 *
 * @param isProposal whether the sender asks for a promise
 */
record FormationRequest(WaitingNode sender, boolean isProposal) {
  /** The name of the service on the cluster port. */
  static final String SERVICE = "forming";

  private static final int INTRODUCTION = 1;
  private static final int PROPOSAL = 2;

  byte[] encode() {
    ByteWriter out = new ByteWriter(128).writeByte(isProposal ? PROPOSAL : INTRODUCTION);
    sender.write(out);
    return out.toByteArray();
  }

  /**
   * @throws MalformedBytesException if the bytes are invalid or of a later version
   */
  static FormationRequest decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    int kind = in.readByte();
    if (kind != INTRODUCTION && kind != PROPOSAL) {
      throw NewerFormatException.unknownKind("request of a waiting node", kind);
    }
    return new FormationRequest(WaitingNode.read(in), kind == PROPOSAL);
  }
}
