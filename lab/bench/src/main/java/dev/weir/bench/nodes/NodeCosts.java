package dev.weir.bench.nodes;

/**
 * What the parts of a group of nodes cost. Times are seconds of one processor.
 *
 * @param check one check on a node
 * @param ownUpdate one update of a client on its node, until Redis has it
 * @param receivedChange one change of another node
 * @param redisUpdate one update in Redis, with its delivery to two nodes
 * @param scanned one hash that a new node reads from Redis, in seconds of its first comparison
 * @param redisScanned the same in Redis
 * @param nodeBytes memory of a hash on a node
 * @param redisBytes memory of a hash in Redis
 * @param changeBytes traffic of a change from Redis to one node
 */
record NodeCosts(double check, double ownUpdate, double receivedChange, double redisUpdate, double scanned,
        double redisScanned, double nodeBytes, double redisBytes, double changeBytes) {}
