package dev.weir.http.data;

import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpReply;
import dev.weir.storage.UpdateSubmitter;
import dev.weir.storage.server.StorageServer;

/** The data of a running storage that HTTP and the control socket both offer. Thread-safe. */
public final class StorageData {
    private final HashSearch search;
    private final Campaigns campaigns;
    private final UndoAdmin undo;
    private final KeyAdmin keys;
    private final AccessAdmin access;

    /**
     * Creates the data of a storage, which must be running when something is asked.
     *
     * @param setup the configuration with the files of dynamic keys
     */
    public StorageData(StorageServer storage, Setup setup) {
        this.search = new HashSearch(storage);
        this.campaigns = new Campaigns(storage, search);
        this.undo = new UndoAdmin(storage);
        this.keys = new KeyAdmin(storage, setup);
        this.access = new AccessAdmin(storage);
    }

    HashSearch search() {
        return search;
    }

    /**
     * Returns hashes with their flags and changes. Arguments: {@code q}.
     *
     * @throws HttpException if an argument is malformed, or the audit trail cannot be read
     */
    public HttpReply find(Arguments arguments) throws HttpException {
        return search.find(arguments);
    }

    /**
     * Returns the families of hashes that match most. Arguments: {@code by}, {@code most}.
     *
     * @throws HttpException as {@link #find}
     */
    public HttpReply campaigns(Arguments arguments) throws HttpException {
        return campaigns.top(arguments);
    }

    /** Returns the same for a page, of which many may be open: the answer may be some seconds old. */
    HttpReply recentCampaigns(Arguments arguments) throws HttpException {
        return campaigns.recent(arguments);
    }

    /**
     * Returns the consequences of an undo. Arguments: {@code digests}, {@code flag}, {@code from}, {@code user},
     * {@code mail}, {@code key}, {@code since}, {@code until}, {@code after}, {@code revision}.
     *
     * @throws HttpException as {@link #find}
     */
    public HttpReply rehearse(Arguments arguments) throws HttpException {
        return undo.rehearse(arguments);
    }

    /**
     * Carries out an undo, with the arguments of {@link #rehearse}.
     *
     * @param by the operator
     * @throws HttpException as {@link #find}
     * @throws InterruptedException if the server stops; a part of the undo is done then
     */
    public HttpReply undo(Arguments arguments, UpdateSubmitter by) throws HttpException, InterruptedException {
        return undo.apply(arguments, by);
    }

    /** Returns the dynamic keys in their files, without secrets. */
    public HttpReply keys() {
        return keys.show();
    }

    /**
     * Adds a dynamic key; with {@code key}, changes it; with {@code remove}, too, removes it. Arguments: {@code key},
     * {@code remove}, {@code name}, {@code email}, {@code operations}, {@code burst}, {@code rate}, {@code expire},
     * {@code hidden_flags}.
     *
     * @param by the operator
     * @throws HttpException if an argument is malformed, no file has the key, or the file cannot be written
     */
    public HttpReply changeKey(Arguments arguments, UpdateSubmitter by) throws HttpException {
        return keys.change(arguments, by);
    }

    /** Returns the rules of access, the keys, the refused networks with their ends, and the skip list. */
    public HttpReply access() {
        return access.show();
    }

    /**
     * Ends the refusal of a network. Arguments: {@code network}.
     *
     * @param by the operator
     * @throws HttpException if the network is malformed or not refused
     */
    public HttpReply unblock(Arguments arguments, UpdateSubmitter by) throws HttpException {
        return access.pardon(arguments, by);
    }

    /**
     * Adds a digest to the skip list or changes its entry; with {@code remove}, takes it off. Arguments:
     * {@code digest}, {@code reason}, {@code days}, {@code until}, {@code remove}.
     *
     * @param by the operator
     * @throws HttpException if an argument is malformed, the digest is not there, or the list cannot be written
     */
    public HttpReply skip(Arguments arguments, UpdateSubmitter by) throws HttpException {
        return access.skip(arguments, by);
    }
}
