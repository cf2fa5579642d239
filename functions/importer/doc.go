// Package importer brings the rows of uploaded files into the shop (contract, section 4, "Imports").
//
// # How a file becomes records
//
// A file is PUT to an address that is the right to do so (a folder here, presigned S3 on AWS) and wakes the importer.
// The address is good for one PUT. Here a second one is 403. S3 has nothing that would refuse one to a presigned
// address without demanding a header of everybody, and answers 200; the bucket keeps versions and the import is of the
// first, so it changes nothing; If-None-Match: * makes it 412. It reads, looks up and writes side by side: a batch of
// rows, how far the file is done, the rows' errors and what is to be told of them are one transaction on condition of
// the import's version. Whoever finds an import whose lease has ended (the sweeper, the next start) goes on behind the
// last batch, so no row is done twice. A change is told as soon as a call's 500 ids of one event are written, the rest
// at the end.
//
// # Whose it is
//
// An import belongs to the access that asked for it. Whether that is active and has the permission is looked at when
// the file comes (the PUT is 403 here; S3's cannot be refused), when the import is claimed, and before each batch of
// rows, by what requests go by: at once here, on AWS one call each 30 s. Once it may not, the import ends failed before
// its next rows. So does one at a row of more than 1 MiB: a file is read no further than a row may go, so that no line
// is held in memory whole.
//
// # Whose turn it is
//
// Here two files are worked on at a time, for 5 s each, and places go round by shop: no shop's second file comes before
// another's first, after a restart neither, and a shop waits for no more than a turn of each shop before it. On AWS
// each file has a Lambda of its own, so there is nothing to wait for as long as the account has executions.
//
// An upload lasts as long as its bytes come; one that stands still for a minute ends. Uploads leave 1 GiB of the disk
// free for the data, else they are 503, in their middle, too.
//
// # What it costs
//
// A row costs no more write units than the request that it stands for (a new customer 6, a new product 13, a change 5,
// what is as it was none); 1,000 rows take 30 to 65 calls. Tests count it.
//
// While others make requests an import in the one process takes its time, a few rows and a pause, so that they notice
// little of it: some 750 rows a second beside a hundred requests, instead of 10,000. On AWS it is a function of its
// own. A test in simulated time holds both hosts to it: beside an import of 100,000 products another shop's p99 is
// within 20 % of what it is without (infra/journeys/simtest).
//
// In the one process an import of 1,000,000 customers takes 87 MiB of memory of its own; with what is mapped of the
// data file, 1.6 GiB afterwards, it is 184 MiB at most: whoever writes much lets go of the pages that it has looked at
// (shared/store/bolt/resident_linux.go), without which it is up to 1.1 GiB. A row takes as much processor time either
// way.
package importer
