package dev.weir.cli.control;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

class NodeStatusReportTest {
    private static String report(String leader) {
        return NodeStatusReport.of(JsonMapper.shared().readTree("""
                {"workers": [{"hashes": 3, "revision": 9, "part": "follower", "epoch": "2-ab", "leader": %s,
                  "followers": [{"name": "first"}], "troubles": []}]}""".formatted(leader)));
    }

    @Test
    void saysHowFarBehindItsLeaderANodeIs() {
        assertThat(report("{\"address\": \"192.0.2.1:11336\", \"behind\": 7, \"lag\": 2}")).isEqualTo("""
                hashes 3, last update 9
                this node follows, epoch 2-ab
                leader 192.0.2.1:11336: 7 updates behind, lag 2 s
                follower first: has not asked since the start
                healthy
                """);
    }

    @Test
    void oneIsSingular() {
        assertThat(NodeStatusReport.of(JsonMapper.shared().readTree("""
                {"workers": [{"hashes": 3, "revision": 9, "part": "leader", "epoch": "2-ab", "troubles": [],
                  "confirmations": 1, "replicated": 8, "leader": {"behind": 1, "copied": 1, "of": 5},
                  "followers": [{"name": "first", "behind": 1}], "consumers": [{"name": "mirror", "behind": 1}],
                  "shared": {"node": "a", "unsent": 1, "servers": [{"shards": [0]}],
                    "nodes": [{"hashes": 1, "unsent": 1, "behind": 1}]}}]}"""))).isEqualTo("""
                hashes 3, last update 9
                this node leads, epoch 2-ab
                leader : 1 update behind, lag 0 s
                copying: 1 of 5 hashes
                updates are acknowledged when 1 follower has them; it has update 8
                follower first: 1 update behind, last heard from 0 s ago
                node a shares its hashes with ; not complete yet, 1 update unsent
                no known server takes the writes of 1 shard
                node  on : 1 hash, 1 update unsent, 1 change behind, last heard from 0 s ago
                mirror: , lacks 1 update
                healthy
                """);
    }

    /** A script that waits for ": 0 updates behind" must not go on before anyone knows. */
    @Test
    void claimsNothingBeforeTheLeaderAnswers() {
        assertThat(report("{\"address\": \"192.0.2.1:11336\", \"failure\": \"the leader has not answered yet\"}"))
                .contains("leader 192.0.2.1:11336: updates behind and lag unknown (the leader has not answered yet)\n");
    }

    /** It had everything of the history that it was in before. */
    @Test
    void aNodeThatRefusesToFollowIsNotSaidToBeUpToDate() {
        assertThat(report("""
                {"address": "192.0.2.1:11336", "behind": 0, "lag": 4, "failure": "it lacks updates", "held": "it lacks"}
                """)).contains("leader 192.0.2.1:11336: updates behind and lag unknown (it lacks updates)\n");
    }
}
