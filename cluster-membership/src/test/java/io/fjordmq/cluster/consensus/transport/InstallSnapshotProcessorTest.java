package io.fjordmq.cluster.consensus.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.alipay.sofa.jraft.entity.RaftOutter.SnapshotMeta;
import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.rpc.RaftServerService;
import com.alipay.sofa.jraft.rpc.RpcContext;
import com.alipay.sofa.jraft.rpc.RpcRequestClosure;
import com.alipay.sofa.jraft.rpc.RpcRequests.ErrorResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.InstallSnapshotRequest;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

/** Requests to install a snapshot while jraft finishes an earlier one. */
class InstallSnapshotProcessorTest {
  private final InstallSnapshotProcessor processor = new InstallSnapshotProcessor();

  private final InstallSnapshotRequest request =
      InstallSnapshotRequest.newBuilder()
          .setGroupId("retain-1")
          .setServerId("leader:0")
          .setPeerId("follower:0")
          .setTerm(3)
          .setMeta(SnapshotMeta.newBuilder().setLastIncludedIndex(10).setLastIncludedTerm(1))
          .setUri("fjord://leader/1")
          .build();

  private final RpcRequestClosure closure =
      new RpcRequestClosure(failing(RpcContext.class, new AssertionError("unexpected use")));

  @Test
  void shouldAskTheLeaderToTryAgainIfTheDownloadHasJustEnded() {
    Object response =
        processor.processRequest0(
            throwing(new NullPointerException(InstallSnapshotProcessor.NO_DOWNLOAD)),
            request,
            closure);

    assertThat(response)
        .isInstanceOfSatisfying(
            ErrorResponse.class,
            error -> assertThat(error.getErrorCode()).isEqualTo(RaftError.EBUSY.getNumber()));
  }

  @Test
  void shouldNotHideOtherErrors() {
    NullPointerException other = new NullPointerException("meta");

    assertThatThrownBy(() -> processor.processRequest0(throwing(other), request, closure))
        .isSameAs(other);
  }

  private static RaftServerService throwing(RuntimeException error) {
    return failing(RaftServerService.class, error);
  }

  /** An instance whose methods all throw the error. */
  private static <T> T failing(Class<T> type, Throwable error) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              throw error;
            }));
  }
}
