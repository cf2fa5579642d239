package model

import (
	"fmt"
	"sync"
)

// Shown are the answers that have shown records (contract, "Answers" and "Optimistic locking"): a record is never shown
// as it was before what an earlier answer has shown, and under one ETag it has one content.
type Shown struct {
	mu       sync.Mutex
	views    map[string][]view // by record
	contents map[string]string // by record and ETag
}

// view is an answer that has shown a record.
type view struct {
	begun, ended int64
	changed      string
}

// Add adds an answer to a request that was begun and ended at these times of a History; changed is the record's, as RFC
// 3339 with milliseconds. Its error says which answer it contradicts.
func (s *Shown) Add(id string, begun, ended int64, etag, changed, content string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.views == nil {
		s.views, s.contents = map[string][]view{}, map[string]string{}
	}
	for _, before := range s.views[id] {
		if before.ended < begun && before.changed > changed || ended < before.begun && changed > before.changed {
			return fmt.Errorf("%s was shown as of %s and as of %s, the older one last", id, before.changed, changed)
		}
	}
	s.views[id] = append(s.views[id], view{begun, ended, changed})
	key := id + " " + etag
	if before, there := s.contents[key]; there && before != content {
		return fmt.Errorf("%s has two contents under one ETag %s: %s and %s", id, etag, before, content)
	}
	s.contents[key] = content
	return nil
}
