package io.fjordmq.cluster.forming;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The description that a node waiting for a cluster sends to other nodes. Its number and promise
 * are durable.
 *
 * @param process random for each process; distinguishes copies of a data directory
 * @param address the address of its cluster port as configured for other nodes
 * @param env the name of the cluster that it waits for
 * @param expectNodes the number of nodes that it waits for
 * @param number the number of its latest proposal
 * @param promise its promise to another node; null if it has none
 * @param reached addresses at which waiting nodes have responded to it recently
 */
record WaitingNode(
    NodeId node,
    long process,
    NodeAddress address,
    String env,
    int expectNodes,
    long number,
    @Nullable Promise promise,
    List<NodeAddress> reached) {

  /** The maximum number of addresses that a node tells others. */
  static final int MAX_REACHED = 100;

  private static final int VERSION = 1;
  private static final int WITHOUT_PROMISE = 0;
  private static final int WITH_PROMISE = 1;

  WaitingNode {
    reached = reached.stream().limit(MAX_REACHED).toList();
  }

  /** Returns whether this node has promised the proposal, and the promise holds. */
  boolean hasPromised(NodeId proposer, long proposal) {
    return new Promise(proposer, proposal).equals(promise);
  }

  /** Returns whether this node could promise a proposal of the other one. */
  boolean isFreeFor(NodeId proposer) {
    Promise current = promise;
    return current == null || current.proposer().equals(proposer);
  }

  /*
   * u8 version = 1 | node | u64 process | u16 port | host | env | varint expected nodes
   *                | varint number | u8 0 without promise, or 1 | proposer | varint number
   *                | varint count, then u16 port | host of each reached address
   */
  void write(ByteWriter out) {
    out.writeByte(VERSION).writeString(node.value()).writeLong(process);
    write(out, address);
    out.writeString(env).writeVarint(expectNodes).writeVarint(number);
    Promise current = promise;
    if (current == null) {
      out.writeByte(WITHOUT_PROMISE);
    } else {
      out.writeByte(WITH_PROMISE)
          .writeString(current.proposer().value())
          .writeVarint(current.number());
    }
    out.writeVarint(reached.size());
    reached.forEach(other -> write(out, other));
  }

  private static void write(ByteWriter out, NodeAddress address) {
    out.writeShort(address.port()).writeString(address.host());
  }

  byte[] encode() {
    ByteWriter out = new ByteWriter(128);
    write(out);
    return out.toByteArray();
  }

  /**
   * @throws MalformedBytesException if the bytes are invalid or of a later version
   */
  static WaitingNode decode(byte[] bytes) {
    return read(new ByteReader(bytes));
  }

  /** Reads the rest of the bytes; throws like {@link #decode}. */
  static WaitingNode read(ByteReader in) {
    try {
      NewerFormatException.require("waiting node", VERSION, in.readByte());
      NodeId node = new NodeId(in.readString());
      long process = in.readLong();
      NodeAddress address = readAddress(in);
      String env = in.readString();
      int expectNodes = in.readInt();
      long number = in.readVarint();
      Promise promise =
          in.readByte() == WITHOUT_PROMISE
              ? null
              : new Promise(new NodeId(in.readString()), in.readVarint());
      List<NodeAddress> reached = new ArrayList<>();
      for (int remaining = in.readCount(4); remaining > 0; remaining--) {
        reached.add(readAddress(in));
      }
      in.requireEnd();
      return new WaitingNode(node, process, address, env, expectNodes, number, promise, reached);
    } catch (IllegalArgumentException e) {
      throw new MalformedBytesException("invalid description of a waiting node", e);
    }
  }

  private static NodeAddress readAddress(ByteReader in) {
    int port = in.readShort();
    return new NodeAddress(in.readString(), port);
  }

  /** Describes the node for operators. */
  @Override
  public String toString() {
    return node + " at " + address;
  }
}
