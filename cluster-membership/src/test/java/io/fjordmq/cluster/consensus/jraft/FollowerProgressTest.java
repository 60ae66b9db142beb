package io.fjordmq.cluster.consensus.jraft;

import static org.assertj.core.api.Assertions.assertThat;

import com.alipay.sofa.jraft.entity.EnumOutter;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteRequest;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FollowerProgressTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final NodeId C = new NodeId("c");
  private static final ReplicaSet ALL = new ReplicaSet(Set.of(A, B), Set.of(C));

  private final FollowerProgress progress = new FollowerProgress();

  private static AppendEntriesRequest request(long previous, int entries) {
    AppendEntriesRequest.Builder request =
        AppendEntriesRequest.newBuilder()
            .setGroupId("g")
            .setServerId("a")
            .setPeerId("b")
            .setTerm(1)
            .setPrevLogTerm(1)
            .setPrevLogIndex(previous)
            .setCommittedIndex(0);
    for (int i = 0; i < entries; i++) {
      request.addEntriesBuilder().setTerm(1).setType(EnumOutter.EntryType.ENTRY_TYPE_DATA);
    }
    return request.buildPartial();
  }

  private static AppendEntriesResponse.Builder response(boolean success) {
    return AppendEntriesResponse.newBuilder().setTerm(1).setSuccess(success);
  }

  @Test
  void shouldReportTheSlowestFollower() {
    progress.onResponse(B, request(10, 5), response(true).build());
    progress.onResponse(C, request(10, 0), response(true).setLastLogIndex(12).build());
    assertThat(progress.slowestLag(A, ALL, 20)).isEqualTo(8);
    progress.onResponse(C, request(12, 8), response(true).build());
    assertThat(progress.slowestLag(A, ALL, 20)).isEqualTo(5);
  }

  @Test
  void shouldUseTheLastIndexOfAFollowerThatRejectsEntries() {
    progress.onResponse(B, request(10, 5), response(false).setLastLogIndex(3).build());
    progress.onResponse(C, request(10, 10), response(true).build());
    assertThat(progress.slowestLag(A, ALL, 20)).isEqualTo(17);
  }

  @Test
  void shouldCountAFollowerThatHasNotRespondedAsEmpty() {
    progress.onResponse(B, request(19, 1), response(true).build());
    progress.onResponse(C, request(19, 1), null);
    progress.onResponse(C, RequestVoteRequest.getDefaultInstance(), response(true).build());
    assertThat(progress.slowestLag(A, ALL, 20)).isEqualTo(20);
  }

  @Test
  void shouldForgetNodesThatHaveLeftTheGroup() {
    progress.onResponse(B, request(10, 5), response(true).build());
    progress.onResponse(C, request(18, 2), response(true).build());
    ReplicaSet withoutB = new ReplicaSet(Set.of(A), Set.of(C));
    assertThat(progress.slowestLag(A, withoutB, 20)).isZero();
    assertThat(progress.slowestLag(A, ALL, 20)).as("it lacks everything again").isEqualTo(20);
  }

  @Test
  void shouldReportNothingForASingleReplica() {
    assertThat(progress.slowestLag(A, ReplicaSet.ofVoters(A), 20)).isZero();
  }

  @Test
  void shouldNotReportAFollowerThatIsAheadOfTheLeader() {
    progress.onResponse(B, request(30, 0), response(true).setLastLogIndex(30).build());
    assertThat(progress.slowestLag(A, ReplicaSet.ofVoters(A, B), 20)).isZero();
  }
}
