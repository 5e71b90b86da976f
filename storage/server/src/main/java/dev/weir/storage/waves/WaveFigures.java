package dev.weir.storage.waves;

/**
 * The figures of the waves of a storage.
 *
 * @param groups groups now
 * @param answering groups that answer checks now
 * @param excluded groups that touch wanted mail, the skip list or an exempt sender
 * @param signatures signatures now
 * @param capacity the most signatures
 * @param largest checks of the largest group in the last hour, without excluded ones
 * @param checks checks without a hit that were counted
 * @param dropped checks that found no room in a ring
 * @param leftOut checks that were left out by sampling, and that others stand for
 * @param sampling one of how many checks of a busy network is taken now; 1 for all
 * @param displaced signatures seen once that made room for others
 * @param displacedGroups groups that made room for others
 * @param learned groups that the storage learned automatically
 * @param learnsHeld groups that were not learned because of the rate
 * @param nodes other nodes whose counts count now
 * @param unsent groups that had no room in the last note to other nodes
 * @param ignored groups in notes of other nodes that were not used: no room, or a wrong clock
 * @param exchangesFailed attempts to exchange counts with other nodes that failed
 * @param notesRefused notes of other nodes that were not used: damaged, or of another version
 * @param bytes memory now
 * @param mostBytes the bound of the memory
 */
public record WaveFigures(int groups, int answering, int excluded, int signatures, int capacity, long largest,
        long checks, long dropped, long leftOut, long sampling, long displaced, long displacedGroups, long learned,
        long learnsHeld, int nodes, long unsent, long ignored, long exchangesFailed, long notesRefused, long bytes,
        long mostBytes) {}
