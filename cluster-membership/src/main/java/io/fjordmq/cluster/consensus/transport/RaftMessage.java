package io.fjordmq.cluster.consensus.transport;

import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.ErrorResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.GetFileRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.GetFileResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.InstallSnapshotRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.InstallSnapshotResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.PingRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.ReadIndexRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.ReadIndexResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.TimeoutNowRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.TimeoutNowResponse;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.Message;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The jraft messages that nodes exchange. jraft's administrative messages are not listed and
 * therefore rejected. On the wire a message is identified by its code, not by its name.
 */
public enum RaftMessage {
  ERROR(0, ErrorResponse.getDefaultInstance()),
  PING(1, PingRequest.getDefaultInstance()),
  APPEND(2, AppendEntriesRequest.getDefaultInstance()),
  APPEND_RESPONSE(3, AppendEntriesResponse.getDefaultInstance()),
  VOTE(4, RequestVoteRequest.getDefaultInstance()),
  VOTE_RESPONSE(5, RequestVoteResponse.getDefaultInstance()),
  TIMEOUT_NOW(6, TimeoutNowRequest.getDefaultInstance()),
  TIMEOUT_NOW_RESPONSE(7, TimeoutNowResponse.getDefaultInstance()),
  READ_INDEX(8, ReadIndexRequest.getDefaultInstance()),
  READ_INDEX_RESPONSE(9, ReadIndexResponse.getDefaultInstance()),
  INSTALL_SNAPSHOT(10, InstallSnapshotRequest.getDefaultInstance()),
  INSTALL_SNAPSHOT_RESPONSE(11, InstallSnapshotResponse.getDefaultInstance()),
  GET_FILE(12, GetFileRequest.getDefaultInstance()),
  GET_FILE_RESPONSE(13, GetFileResponse.getDefaultInstance());

  private static final Map<Class<?>, RaftMessage> BY_CLASS = new HashMap<>();
  private static final RaftMessage[] BY_CODE = values();

  static {
    for (RaftMessage message : BY_CODE) {
      BY_CLASS.put(message.prototype.getClass(), message);
    }
  }

  private final int code;
  private final Message prototype;

  RaftMessage(int code, Message prototype) {
    this.code = code;
    this.prototype = prototype;
  }

  int code() {
    return code;
  }

  /**
   * @throws IllegalArgumentException if nodes do not exchange messages of this type
   */
  static RaftMessage of(Object message) {
    RaftMessage found = BY_CLASS.get(message.getClass());
    if (found == null) {
      throw new IllegalArgumentException("unsupported Raft message type: " + message.getClass());
    }
    return found;
  }

  static @Nullable RaftMessage ofCode(int code) {
    return code < BY_CODE.length ? BY_CODE[code] : null;
  }

  Message parse(CodedInputStream in) throws IOException {
    return prototype.getParserForType().parseFrom(in);
  }

  /**
   * Returns whether the message is a heartbeat, by jraft's own criterion. Heartbeats may be
   * delayed.
   */
  static boolean isHeartbeat(Object message) {
    return message instanceof AppendEntriesRequest append
        && append.getEntriesCount() == 0
        && !append.hasData();
  }

  /**
   * Returns a key for the message. Messages with equal keys must be handled in the order in which
   * they were sent.
   */
  static int orderKey(Message message) {
    if (message instanceof AppendEntriesRequest append) {
      return append.getGroupId().hashCode() * 31 + append.getServerId().hashCode();
    }
    if (message instanceof RequestVoteRequest vote) {
      return vote.getGroupId().hashCode() * 31 + vote.getServerId().hashCode();
    }
    return message.getClass().hashCode();
  }
}
