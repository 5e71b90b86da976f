package dev.weir.bench.nodes;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Nodes in groups of equal size. Each group has a part of the hashes, of the checks and of the updates, and a Redis of
 * its own; its nodes share the checks and the updates, and each applies all changes of its group. Groups do not touch
 * each other, so one is played for all.
 *
 * @param groups number of groups
 * @param nodes number of nodes of a group
 * @param cores processors of a node
 * @param hashes number of stored hashes of all groups
 * @param checks checks a second of all groups
 * @param updates updates a second of all groups
 * @param nodeMemory bytes of memory of a node
 * @param redisMemory bytes of memory of a Redis
 * @param link bytes a second that a Redis can send
 */
record Fleet(int groups, int nodes, double cores, double hashes, double checks, double updates, double nodeMemory,
        double redisMemory, double link) {
    private static final double STEP = 0.1;

    /** When something happens, and for how long. */
    static final double FROM = 10;
    static final double LENGTH = 60;

    /** A backlog below the updates of this time is usual. */
    private static final double USUAL = 0.2;

    private static final double LONGEST = 24 * 3600;

    /** How much of a part is used. 1 is all of it. */
    record Use(String part, double share) {}

    /** What happens to a group. */
    enum Event {
        NOTHING("nothing"),
        BURST("ten times the updates"),
        REDIS_AWAY("Redis is away"),
        NEW_NODE("a node begins with an empty folder");

        private final String title;

        Event(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }
    }

    /**
     * What an event does.
     *
     * @param unsent the most updates that one node held back
     * @param late the longest time after which a change was on all nodes of the group, in seconds
     * @param recovered seconds from the end of the event until all is as before; infinite if that takes over a day
     */
    record Course(double unsent, double late, double recovered) {}

    /** Returns how much of each part is used while nothing happens, the most used part first. */
    List<Use> uses(NodeCosts costs) {
        double here = updates / groups;
        List<Use> uses = new ArrayList<>(List.of(new Use("processors of a node", nodeWork(costs) / cores),
                new Use("one processor of a node, for updates",
                        here * Math.max(costs.ownUpdate(), costs.receivedChange())),
                new Use("the processor of a Redis", here * redisUpdate(costs)),
                new Use("the network of a Redis", here * nodes * costs.changeBytes() / link),
                new Use("memory of a node", hashes / groups * costs.nodeBytes() / nodeMemory),
                new Use("memory of a Redis", hashes / groups * costs.redisBytes() / redisMemory)));
        uses.sort(Comparator.comparingDouble(Use::share).reversed());
        return uses;
    }

    private double nodeWork(NodeCosts costs) {
        double own = updates / groups / nodes;
        return checks / groups / nodes * costs.check() + own * costs.ownUpdate()
                + (updates / groups - own) * costs.receivedChange();
    }

    /** Each further node reads the stream, too; that is the smaller part of the cost for two. */
    private double redisUpdate(NodeCosts costs) {
        return costs.redisUpdate() * (1 + 0.1 * (nodes - 2));
    }

    /** Plays an event. */
    Course play(NodeCosts costs, Event event) {
        double own = updates / groups / nodes;
        double[] unsent = new double[nodes];
        double[] behind = new double[nodes];
        double scanned = event == Event.NEW_NODE ? 0 : hashes / groups;
        double mostUnsent = 0;
        double late = 0;
        double end = event == Event.NEW_NODE || event == Event.NOTHING ? FROM : FROM + LENGTH;
        for (long step = 0; step * STEP < LONGEST; step++) {
            double now = step * STEP;
            boolean during = now >= FROM && now < FROM + LENGTH;
            double rate = own * (event == Event.BURST && during ? 10 : 1);
            double redis = event == Event.REDIS_AWAY && during ? 0 : STEP;
            if (scanned < hashes / groups && redis > 0) {
                // The comparison leaves Redis time for updates.
                scanned += STEP / costs.scanned();
                redis -= Math.min(redis / 2, STEP / costs.scanned() * costs.redisScanned());
            }
            double waiting = 0;
            for (int i = 0; i < nodes; i++) {
                unsent[i] += rate * STEP;
                waiting += unsent[i];
            }
            double sent = Math.min(waiting, redis / redisUpdate(costs));
            double free = Math.clamp(cores - checks / groups / nodes * costs.check() - rate * costs.ownUpdate(), 0, 1);
            for (int i = 0; i < nodes; i++) {
                double mine = waiting == 0 ? 0 : sent * unsent[i] / waiting;
                unsent[i] -= mine;
                behind[i] += sent - mine;
                behind[i] -= Math.min(behind[i], free * STEP / costs.receivedChange());
            }
            double left = Arrays.stream(unsent).max().orElse(0);
            mostUnsent = Math.max(mostUnsent, left);
            double lag = (Arrays.stream(unsent).sum() + Arrays.stream(behind).max().orElse(0)) / (updates / groups);
            late = Math.max(late, lag);
            if (now >= end && lag <= USUAL && scanned >= hashes / groups) {
                return new Course(mostUnsent, late, now - end);
            }
        }
        return new Course(mostUnsent, late, Double.POSITIVE_INFINITY);
    }
}
