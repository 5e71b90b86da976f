package dev.weir.storage.replication;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

import dev.weir.storage.Trouble;
import dev.weir.storage.log.LeaderEpoch;
import dev.weir.storage.queue.Role;
import org.jspecify.annotations.Nullable;

/**
 * The present state of a node in replication.
 *
 * @param part its part
 * @param epoch the epoch of its log
 * @param revision the last update that it has for certain
 * @param upstream its leader; null if it leads or is fenced
 * @param followers those that may follow it, by name
 * @param needed the number of followers that must confirm an update; 0 for none
 * @param replicated the last update that enough followers have; -1 if none need to
 * @param counts what was counted since the start
 * @param maxLagSeconds the lag from which on a follower counts as unhealthy
 * @param unknown whether the file that says who leads was lost
 * @param others what else an operator must know
 */
public record NodeStatus(Role.Part part, LeaderEpoch epoch, long revision, @Nullable Above upstream,
        List<Leader.Follower> followers, int needed, long replicated, Counts counts, long maxLagSeconds,
        boolean unknown, List<Trouble> others) {

    /**
     * The leader of a node.
     *
     * @param address its host and port
     * @param behind the number of its updates that this node lacks, as far as known; -1 before its first updates
     * @param lagSeconds how old the hashes of this node are in comparison; empty before its first answer
     * @param failure why this node does not follow at present; empty if it does
     * @param copied the number of hashes copied so far from a checkpoint; -1 if no copy is being made
     * @param ofCopied about how many there are; -1 if unknown
     * @param held why this node refuses to follow until an operator decides; empty if it does not
     */
    public record Above(String address, long behind, OptionalLong lagSeconds, String failure, long copied,
            long ofCopied, String held) {}

    /**
     * What was counted since the start.
     *
     * @param applied updates of the leader
     * @param copies copies of the leader
     * @param forwarded updates of clients that the leader stored
     * @param forwardFailures updates of clients that did not reach the leader, or that it refused
     * @param unreplicated stored updates whose clients got an error, because too few followers confirmed them in time
     */
    public record Counts(long applied, long copies, long forwarded, long forwardFailures, long unreplicated) {}

    /** The time after which a silent follower counts as away. */
    private static final long SILENT_SECONDS = 30;

    /** Copies the lists. */
    public NodeStatus {
        followers = List.copyOf(followers);
        others = List.copyOf(others);
    }

    /** Returns whether a follower was heard of lately. */
    public static boolean isPresent(Leader.Follower follower) {
        return follower.behind() >= 0 && follower.silent().toSeconds() < SILENT_SECONDS;
    }

    /** Returns what an operator must fix. */
    public List<Trouble> troubles() {
        List<Trouble> troubles = new ArrayList<>(others);
        if (part == Role.Part.FENCED && unknown) {
            troubles.add(new Trouble("updates are refused: the file that says whether this node leads was lost",
                    "if no other node leads, promote this one (weir control promote); otherwise let it follow"));
        } else if (part == Role.Part.FENCED) {
            troubles.add(new Trouble("updates are refused: another node leads under a higher epoch",
                    "follow it, or promote this node (weir control promote)"));
        }
        Above above = upstream;
        if (part == Role.Part.FOLLOWER && above != null) {
            String detail = above.failure().isEmpty() ? above.address() : above.address() + ": " + above.failure();
            if (!above.held().isEmpty()) {
                troubles.add(new Trouble("this node does not follow its leader, which may lack updates of it",
                        above.held() + ". Restore the leader, promote this node (weir control promote), or give up "
                                + "what the leader lacks (weir control follow --discard)"));
            } else if (above.lagSeconds().isEmpty()) {
                troubles.add(new Trouble("this node has not heard of its leader yet", detail));
            } else if (above.lagSeconds().getAsLong() > maxLagSeconds) {
                troubles.add(new Trouble(String.format(Locale.ROOT, "this node is %d s behind its leader",
                        above.lagSeconds().getAsLong()), detail));
            }
        }
        followers.stream().filter(follower -> !follower.unfit().isEmpty())
                .forEach(follower -> troubles.add(new Trouble("a follower may have updates that this node lacks",
                        follower.name() + ": " + follower.unfit() + ". Decide at that node: weir control status there "
                                + "says what you can do")));
        long present = followers.stream().filter(NodeStatus::isPresent).count();
        if (part == Role.Part.LEADER && present < needed) {
            troubles.add(new Trouble("updates are refused: too few followers confirm them",
                    present + " of " + needed + " are there"));
        }
        return troubles;
    }
}
